"use strict";
const sides = JSON.parse(document.getElementById("data").textContent);
const last = Math.max(...sides.map((side) => side.states.length - (side.mismatch ? 0 : 1)));
const slider = document.getElementById("slider");
let now = -1;

function h(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== "") node.setAttribute(name, value);
  node.append(...children.filter((child) => child !== ""));
  return node;
}

// A state has only what its step changed: what it does not have stands in an earlier one.
function latest(side, number, key, part) {
  for (let at = number; at >= 0; at--) if (part in side.states[at][key]) return side.states[at][key][part];
  return null;
}

function log(side, number, part, at, changed) {
  const mine = latest(side, number, "s", part).logs[at];
  const old = number ? (latest(side, number - 1, "s", part).logs || [])[at] : mine;
  const was = old ? old.hw : mine.hw;
  const text = mine.cells.map(([epoch, letter]) => (letter ? epoch + letter : "deleted")).join(" ") || "empty";
  const said = `log of ${part}: ${text}; high watermark ${mine.hw}, log end offset ${mine.leo}` +
    (mine.differs.length ? `; another replica differs at ${mine.differs.join(", ")}` : "");
  const row = h("div", { class: changed ? "log changed" : "log", role: "img", "aria-label": said });
  for (let offset = 0; offset <= Math.max(mine.leo, mine.hw); offset++) {
    if (offset === mine.hw) row.append(h("span", { class: "hw" }, h("span", {}, "HW")));
    if (offset === was && was !== mine.hw) row.append(h("span", { class: "was", title: "the high watermark before this step" }, h("span", {}, "was")));
    if (offset >= mine.leo) continue;
    const [epoch, letter] = mine.cells[offset];
    if (!letter) {
      row.append(h("span", { class: "cell", title: `offset ${offset}: deleted by retention` }, "\u00b7"));
      continue;
    }
    const ring = mine.differs.includes(offset) ? " ring" : "";
    row.append(h("span", { class: `cell e${epoch % 7}${ring}`, title: `offset ${offset}: batch ${letter}, epoch ${epoch}` }, epoch + letter));
  }
  row.append(h("span", { class: "leo" }, `LEO ${mine.leo}`));
  return row;
}

function card(side, number, part) {
  const facts = latest(side, number, "f", part);
  const changed = side.states[number].c[part] || {};
  const scene = latest(side, number, "s", part) || { logs: [], badges: [] };
  const list = h("ul", {});
  for (const [fact, text] of Object.entries(facts)) {
    if (scene.logs.length && /(^|\s)log$/.test(fact)) continue;
    list.append(h("li", { class: fact in changed ? "changed" : "" }, /(^|\s)role$/.test(fact) ? text : `${fact} ${text}`));
  }
  for (const [fact, told] of Object.entries(changed)) if (!(fact in facts)) list.append(h("li", { class: "changed" }, told));
  const logs = scene.logs.map((_, at) => log(side, number, part, at, Object.keys(changed).some((fact) => /(^|\s)log$/.test(fact))));
  const badges = scene.badges.map((badge) => h("span", { class: "badge" }, badge));
  return h("section", { class: "card" }, h("h3", {}, part, ...badges), ...logs, list.childElementCount ? list : "");
}

function action(side, number) {
  const label = side.labels[number];
  const about = side.actions[label.split(" ")[0]];
  const out = h("section", { class: "card" }, h("h3", {}, number ? `${number} ${label}` : "the initial state"));
  if (!number || !about) return out;
  const kafka = about.kafka ? ` Kafka: ${about.kafka}.` : "";
  out.append(h("p", { class: "story" }, about.summary, " Design: ", about.design, ".", kafka));
  if (about.text) out.append(h("details", {}, h("summary", {}, about.place), h("pre", { tabindex: "0" }, h("code", {}, about.text))));
  return out;
}

function panel(side, wanted) {
  const number = Math.min(wanted, side.states.length - 1);
  const out = [action(side, number)];
  if (side.comments[number]) out.push(h("p", { class: "story" }, side.comments[number]));
  for (const one of side.violations) {
    if (one.step !== number) continue;
    const places = one.places.map((place) => h("li", {}, h("code", {}, place)));
    out.push(h("section", { class: "card violated" }, h("h3", {}, `${one.property} is violated here`), h("p", {}, one.why), h("ul", {}, ...places)));
  }
  if (side.mismatch && wanted >= side.states.length - 1) {
    const can = side.enabled.length ? h("p", {}, "Enabled here: ", side.enabled.join(", ")) : "";
    out.push(h("section", { class: "card violated" }, h("h3", {}, `under ${side.revision} the steps end here`), h("p", {}, side.mismatch), can));
  }
  for (const part of Object.keys(side.states[0].f)) out.push(card(side, number, part));
  return out;
}

// Scrolls the diagram, and not the page: what stands above must stay in sight.
function bring(row, drawn) {
  const inner = row.getBoundingClientRect();
  const outer = drawn.getBoundingClientRect();
  const head = drawn.querySelector(".heads").getBoundingClientRect().height;
  if (inner.top < outer.top + head) drawn.scrollTop -= outer.top + head - inner.top;
  if (inner.bottom > outer.bottom) drawn.scrollTop += inner.bottom - outer.bottom;
}

function show(wanted) {
  const number = Math.max(0, Math.min(last, wanted));
  if (number === now) return;
  now = number;
  slider.value = String(number);
  sides.forEach((side, at) => {
    document.getElementById(`panel${at}`).replaceChildren(...panel(side, number));
    for (const row of document.querySelectorAll(`#side${at} .row.now`)) row.classList.remove("now");
    const row = document.getElementById(`${at ? "b" : ""}row${number}`);
    if (row) {
      row.classList.add("now");
      row.setAttribute("aria-current", "step");
      bring(row, row.closest(".drawn"));
    }
    for (const other of document.querySelectorAll(`#side${at} .row:not(.now)`)) other.removeAttribute("aria-current");
  });
  const label = (sides[0].labels[number] || sides[sides.length - 1].labels[number] || "").split(" ")[0];
  document.getElementById("place").textContent = `step ${number} of ${last}`;
  document.getElementById("status").textContent = `step ${number} of ${last}: ${number ? label : "the initial state"}`;
  if (location.hash !== `#${number}`) history.replaceState(null, "", `#${number}`);
}

function next(steps) {
  return steps.find((step) => step > now) ?? steps[0] ?? now;
}

const first = sides[0].violations.length ? sides[0].violations[0].step : last;
const moves = {
  ArrowLeft: () => show(now - 1), ArrowRight: () => show(now + 1), Home: () => show(0), End: () => show(last),
  f: () => show(first), d: () => show(next(sides[0].differences)),
};

function fromHash() {
  const found = /^#(?:step-?)?(\d+)$/.exec(location.hash);
  show(found ? Number(found[1]) : sides[0].start ?? first);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const move = moves[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (move) {
    event.preventDefault();
    move();
  }
});
slider.max = String(last);
slider.addEventListener("input", () => show(Number(slider.value)));
for (const button of document.querySelectorAll("button[data-key]")) button.addEventListener("click", () => moves[button.dataset.key]());
addEventListener("hashchange", fromHash);
fromHash();
