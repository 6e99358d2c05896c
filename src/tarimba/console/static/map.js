/* The map of a graph: drawn from what the page holds; the list beside it says the same without it. */
"use strict";

(() => {
  const place = document.getElementById("map");
  if (place === null || typeof cytoscape !== "function") return;
  const { names, there, edges, center } = JSON.parse(place.dataset.graph);
  const cut = (name) => (name.length <= 40 ? name : `${name.slice(0, 39)}…`);
  const tokens = getComputedStyle(document.documentElement);
  const token = (name) => tokens.getPropertyValue(name).trim();
  const ring = (at) => {
    if (at === center) return { x: 0, y: 0 };
    const turn = (2 * Math.PI * at) / names.length;
    return { x: 260 * Math.cos(turn), y: 260 * Math.sin(turn) };
  };
  const graph = cytoscape({
    container: place,
    elements: [
      ...names.map((name, at) => ({
        data: { id: String(at), name, label: cut(name) },
        position: ring(at),
        classes: at === center ? "center" : at < there ? "" : "missing",
      })),
      ...edges.map(([from, to, label], at) => ({
        data: { id: `e${at}`, source: String(from), target: String(to), label },
      })),
    ],
    style: [
      {
        selector: "node",
        style: {
          label: "data(label)",
          color: token("--ink"),
          "background-color": token("--accent"),
          "font-size": 12,
          "font-family": "sans-serif",
          "text-wrap": "wrap",
          "text-max-width": 110,
          "text-valign": "bottom",
          "text-margin-y": 4,
          "text-background-color": token("--sheet"),
          "text-background-opacity": 0.85,
          "text-background-padding": 2,
          width: 18,
          height: 18,
        },
      },
      { selector: ".center", style: { width: 28, height: 28, "font-weight": "bold", "background-color": token("--warm") } },
      {
        selector: ".missing",
        style: { "background-opacity": 0, "border-width": 2, "border-style": "dashed", "border-color": token("--ink-soft") },
      },
      {
        selector: "edge",
        style: {
          label: "data(label)",
          color: token("--ink-soft"),
          "font-size": 11,
          "text-rotation": "autorotate",
          "text-background-color": token("--sheet"),
          "text-background-opacity": 0.85,
          width: 1.5,
          "line-color": token("--line-strong"),
          "target-arrow-color": token("--line-strong"),
          "target-arrow-shape": "triangle",
          "curve-style": "bezier",
        },
      },
    ],
    layout: { name: "preset", padding: 40 },
    minZoom: 0.2,
    maxZoom: 3,
    // The page is scrolled over the map; the buttons below zoom it.
    userZoomingEnabled: false,
    userPanningEnabled: !window.matchMedia("(pointer: coarse)").matches,
    boxSelectionEnabled: false,
    autoungrabify: true,
  });
  // Two relations between the same two would pull them together twice.
  const pairs = new Set();
  const single = graph.edges().filter((edge) => {
    const pair = [edge.data("source"), edge.data("target")].sort().join(" ");
    return !pairs.has(pair) && Boolean(pairs.add(pair));
  });
  graph.nodes().union(single).layout({
    name: "cose",
    animate: false,
    randomize: false,
    nodeDimensionsIncludeLabels: true,
    idealEdgeLength: () => 120,
    nodeRepulsion: () => 120000,
    numIter: 2500,
    padding: 40,
  }).run();
  // A map that is drawn small has letters that are drawn larger: none is below 11 pixels on the screen.
  const keepReadable = () => {
    const zoom = Math.min(1, graph.zoom());
    graph.batch(() => {
      graph.nodes().style({ "font-size": 12 / zoom, "text-max-width": 110 / zoom });
      graph.edges().style("font-size", 11 / zoom);
    });
  };
  graph.on("zoom", keepReadable);
  graph.fit(undefined, 40);
  keepReadable();
  graph.on("tap", "node", (event) => {
    if (event.target.hasClass("missing")) return;
    const to = new URL(place.dataset.to, window.location.href);
    to.searchParams.set("name", event.target.data("name"));
    window.location.assign(to);
  });
  graph.on("mouseover", "node", () => place.classList.add("points"));
  graph.on("mouseout", "node", () => place.classList.remove("points"));

  const tools = document.getElementById("map-tools");
  tools.hidden = false;
  tools.addEventListener("click", (event) => {
    const wanted = event.target.closest("[data-zoom]")?.dataset.zoom;
    const middle = { x: place.clientWidth / 2, y: place.clientHeight / 2 };
    if (wanted === "fit") graph.fit(undefined, 40);
    else if (wanted !== undefined) graph.zoom({ level: graph.zoom() * (wanted === "in" ? 1.3 : 1 / 1.3), renderedPosition: middle });
  });
})();
