/* What a page does beyond its forms. Every action works without it: this makes some of them quicker. */
"use strict";

(() => {
  const typing = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;

  // A letter alone, outside of a field, presses what says `data-key` for it.
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Escape" && typing(event.target)) {
      event.target.blur();
      return;
    }
    if (typing(event.target)) return;
    const wanted = Array.from(document.querySelectorAll("[data-key]")).find(
      (one) => one.dataset.key === event.key && !one.disabled && one.offsetParent !== null,
    );
    if (wanted === undefined) return;
    event.preventDefault();
    if (wanted.matches("input, textarea, select")) wanted.focus();
    else wanted.click();
  });

  // In a list `j` and `k` go down and up.
  document.addEventListener("keydown", (event) => {
    if (!["j", "k"].includes(event.key) || typing(event.target) || event.ctrlKey || event.metaKey) return;
    const items = Array.from(document.querySelectorAll("[data-list] a.list-item"));
    if (items.length === 0) return;
    const at = items.indexOf(document.activeElement);
    const next = event.key === "j" ? at + 1 : at - 1;
    items[Math.max(0, Math.min(items.length - 1, next))].focus();
  });

  // Ctrl+Enter sends the form that somebody writes in.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    const form = event.target.closest("form");
    if (form !== null) form.requestSubmit();
  });

  // Asks before what can't be taken back; without scripts the page of the action asks.
  document.addEventListener("submit", (event) => {
    const said = event.submitter?.dataset.confirm ?? event.target.dataset.confirm;
    if (said !== undefined && !window.confirm(said)) event.preventDefault();
  });

  // A form that changes something at once when a choice is made.
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-sends]")) event.target.form.requestSubmit();
  });

  // Copies what is shown once.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copies]");
    if (button === null) return;
    const from = document.getElementById(button.dataset.copies);
    navigator.clipboard.writeText(from.textContent.trim()).then(() => {
      button.textContent = button.dataset.copied;
    });
  });

  // On a wide screen the menu is always open; on a narrow one it begins folded.
  const wide = window.matchMedia("(min-width: 52.01rem)");
  const menu = document.querySelector(".menu");
  if (menu !== null && !wide.matches) menu.removeAttribute("open");
  wide.addEventListener("change", () => menu?.toggleAttribute("open", wide.matches));
})();
