/* What a page does beyond its forms. Every action works without it: this makes some of them quicker. */
"use strict";

(() => {
  const typing = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;

  // One's own choice, in the menu: whoever speaks to a computer, or hits keys by chance, has no use for letters alone.
  const takesLetters = document.documentElement.dataset.keys !== "off";
  const isLetter = (event) =>
    takesLetters && !event.repeat && !event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target);

  // What sends a form wants its key twice: the first press shows where it leads, the second one sends. Between them the
  // key is let go and a moment passes, so that a key that is held, or that bounces, decides nothing on the next page.
  const PAUSE_MS = 300;
  let first = { key: "", at: 0, isReleased: false };
  document.addEventListener("keyup", (event) => {
    if (event.key === first.key) first.isReleased = true;
  });
  const isSecondPress = (event, button) => {
    const is = first.key === event.key && first.isReleased && event.timeStamp - first.at >= PAUSE_MS;
    const second = is && document.activeElement === button;
    first = { key: second ? "" : event.key, at: event.timeStamp, isReleased: false };
    return second;
  };

  // A letter alone, outside of a field, presses what says `data-key` for it.
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented) return;
    if (event.key === "Escape" && typing(event.target)) {
      event.target.blur();
      return;
    }
    if (!isLetter(event)) return;
    const wanted = Array.from(document.querySelectorAll("[data-key]")).find(
      (one) => one.dataset.key === event.key && !one.disabled && one.offsetParent !== null,
    );
    if (wanted === undefined) return;
    event.preventDefault();
    const isField = wanted.matches("input, textarea, select");
    if (isField || (wanted.matches("button") && !isSecondPress(event, wanted))) wanted.focus();
    else wanted.click();
  });

  // In a list `j` and `k` go down and up.
  document.addEventListener("keydown", (event) => {
    if (!["j", "k"].includes(event.key) || !isLetter(event)) return;
    const items = Array.from(document.querySelectorAll("[data-list] a.list-item"));
    if (items.length === 0) return;
    const at = items.indexOf(document.activeElement);
    const next = event.key === "j" ? at + 1 : at - 1;
    items[Math.max(0, Math.min(items.length - 1, next))].focus();
  });

  // Ctrl+Enter sends the form that somebody writes in.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.repeat || !(event.ctrlKey || event.metaKey)) return;
    const form = event.target.closest("form");
    if (form !== null) form.requestSubmit();
  });

  // Asks before what can't be taken back; without scripts the page of the action asks.
  document.addEventListener("submit", (event) => {
    const said = event.submitter?.dataset.confirm ?? event.target.dataset.confirm;
    if (said !== undefined && !window.confirm(said)) event.preventDefault();
  });

  // Asks before a text that nobody has sent is left: one that differs from what the page had, or that was refused.
  let sent = null;
  const isUnsent = (one) =>
    one.form !== sent &&
    (one.dataset.keeps === "unsaved" || one.value !== one.defaultValue.replace(/\r\n?/g, "\n"));
  document.addEventListener("submit", (event) => {
    sent = event.defaultPrevented ? null : event.target;
  });
  window.addEventListener("beforeunload", (event) => {
    if (Array.from(document.querySelectorAll("textarea[data-keeps]")).some(isUnsent)) event.preventDefault();
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

  // A moment in the zone of the browser; what the page said, in UTC, stays beside it.
  const zone = new Intl.DateTimeFormat(document.documentElement.lang, {
    year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
  });
  const isElsewhere = zone.resolvedOptions().timeZone !== "UTC";
  const localise = (root) => {
    if (!isElsewhere) return;
    for (const one of root.querySelectorAll("time[datetime]:not([title])")) {
      one.title = one.textContent;
      one.textContent = zone.format(new Date(one.dateTime));
    }
  };
  localise(document);
  document.addEventListener("htmx:load", (event) => localise(event.detail.elt.parentElement ?? document));

  // Where a row of tabs is wider than the screen, the one that is open comes into sight.
  const tab = document.querySelector(".tabs [aria-current]");
  if (tab !== null) tab.parentElement.scrollLeft = tab.offsetLeft - tab.parentElement.offsetLeft - 48;

  // On a wide screen the menu is always open; on a narrow one it begins folded.
  const wide = window.matchMedia("(min-width: 52.01rem)");
  const menu = document.querySelector(".menu");
  if (menu !== null && !wide.matches) menu.removeAttribute("open");
  wide.addEventListener("change", () => menu?.toggleAttribute("open", wide.matches));
})();
