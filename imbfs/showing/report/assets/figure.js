"use strict";
// Curves of a measure: choose what is drawn, take lines away, read values by mouse or by key.
(() => {
  const place = document.getElementById("figure");
  const source = document.getElementById("curves");
  if (!place || !source) return;
  const data = JSON.parse(source.textContent);
  const [VIEW, SET, SELECTOR, RESAMPLING, CLASSIFIER, MEASURE, FEATURES, AXIS, MEAN, SD, MISSING] = Array(11).keys();
  const EVERY = -1, FEATURED = 0, IMPOSED = 3, LOG_FROM = 20, MARKS = 12;
  const CHOICES = [ // in this order: each offers what those before it leave
    [VIEW, "Against", data.views],
    [MEASURE, "Measure", data.measures.map((measure) => measure.name)],
    [CLASSIFIER, "Classifier", data.classifiers],
    [RESAMPLING, "Resampling", data.resamplings],
    [FEATURES, "Features", data.features],
    [SET, "Data set", data.sets],
  ];
  const MARKERS = {
    o: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", s: "M-3.5 -3.5h7v7h-7z", "^": "M0 -4.5L4.2 3.2h-8.4z", v: "M0 4.5L4.2 -3.2h-8.4z",
    D: "M0 -4.8L4.8 0L0 4.8L-4.8 0z", "<": "M-4.5 0L3.2 -4.2v8.4z", ">": "M4.5 0L-3.2 -4.2v8.4z",
    P: "M-1.5 -4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z", X: "M-4 -2L-2 -4L0 -2L2 -4L4 -2L2 0L4 2L2 4L0 2L-2 4L-4 2L-2 0z",
  };
  const chosen = new Map(), hidden = new Set();
  const selects = new Map();
  let panels = [], last = null;

  // Elements. Names go in as text, never as markup.
  const make = (name, attributes = {}, ...inner) => {
    const svg = ["svg", "g", "path", "line", "text"].includes(name);
    const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...inner);
    return node;
  };
  const looks = (selector) => {
    const look = data.selectors[selector];
    return { "data-line": selector, style: `--day:${look.day};--night:${look.night}` };
  };
  const dashes = (selector) => data.selectors[selector].dash.map((d) => (d * 1.6).toFixed(1)).join(" ");
  const mark = (selector, x, y, hollow) => {
    const look = data.selectors[selector];
    const kind = `mark${look.half ? " half" : ""}${hollow ? " hollow" : ""}`;
    return make("path", { d: MARKERS[look.marker] || MARKERS.o, class: kind, transform: `translate(${x} ${y})` });
  };
  const written = (value) => {
    if (value === null || value === undefined) return "–";
    return Math.abs(value) >= 1000 ? String(Math.round(value)) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(3);
  };
  const spread = (mean, sd) => written(mean) + (sd === null ? "" : ` ± ${written(sd)}`);

  // What is chosen.
  const matching = (without) => data.lines.filter((line) =>
    CHOICES.every(([key]) => key === without || !chosen.has(key) || chosen.get(key) === EVERY && key === SET || chosen.get(key) === line[key]));

  function refresh() {
    let lines = data.lines;
    for (const [key, , names] of CHOICES) {
      const there = [...new Set(lines.map((line) => line[key]))].sort((a, b) => a - b);
      const kept = chosen.get(key);
      const every = key === SET && there.length > 1;
      if (!there.includes(kept) && !(every && kept === EVERY)) chosen.set(key, there[0]);
      const select = selects.get(key);
      const options = there.map((value) => [value, names[value] ?? ""]);
      if (every) options.push([EVERY, `all ${there.length}, small`]);
      select.replaceChildren(...options.map(([value, name]) => make("option", { value }, name)));
      select.value = chosen.get(key);
      select.parentElement.hidden = options.length < 2;
      lines = lines.filter((line) => chosen.get(key) === EVERY || line[key] === chosen.get(key));
    }
    draw();
  }

  // Scales.
  function ticksOf(low, high, wanted) {
    const raw = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((n) => n * power).find((s) => s >= raw);
    const ticks = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) ticks.push(i * step);
    return { ticks, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
  }

  function heights(lines, measure) {
    let low = Infinity, high = -Infinity;
    for (const line of lines) line[MEAN].forEach((mean, i) => {
      if (mean === null) return;
      low = Math.min(low, mean - (line[SD][i] ?? 0));
      high = Math.max(high, mean + (line[SD][i] ?? 0));
    });
    if (low > high) return [0, 1];
    if (measure.low !== null) low = Math.max(low, measure.low);
    if (measure.high !== null) high = Math.min(high, measure.high);
    const room = 0.05 * Math.max(high - low, 0.02);
    return [low - room, high + room];
  }

  /** Lines with several counts, those with all features alone (they go across), and where values stand. */
  function arranged(lines) {
    const points = (line) => data.axes[line[AXIS]];
    const whole = (line) => line[VIEW] === FEATURED && points(line)[0].length === 1 && points(line)[1][0] === "all";
    let across = lines.filter(whole);
    if (across.length === lines.length) across = lines.filter((line) => data.selectors[line[SELECTOR]].label === "none");
    const others = lines.filter((line) => !across.includes(line));
    const at = new Map();
    for (const line of others) points(line)[0].forEach((x, i) => at.set(x, points(line)[1][i]));
    const xs = [...at.keys()].sort((a, b) => a - b);
    return { across, others, xs, names: xs.map((x) => at.get(x)), beside: xs.length === 1 };
  }

  function scales(kept, size, measure, lines) {
    const { xs, others, beside } = kept;
    const [low, high] = heights(lines, measure);
    const y = (value) => size.top + (size.height - size.top - size.bottom) * (high - Math.min(high, Math.max(low, value))) / (high - low || 1);
    const inner = size.width - size.left - size.right;
    if (beside || !xs.length) {
      const step = inner / (others.length + 1);
      return { low, high, y, x: () => size.left + inner / 2, slot: (line) => size.left + step * (others.indexOf(line) + 1) };
    }
    const log = chosen.get(VIEW) === IMPOSED || chosen.get(VIEW) === FEATURED && xs.at(-1) > LOG_FROM * xs[0];
    const along = log ? Math.log : (value) => value;
    const [first, end] = [along(xs[0]), along(xs.at(-1))];
    return { low, high, y, x: (value) => size.left + 6 + (inner - 12) * (along(value) - first) / (end - first || 1) };
  }

  // Drawing.
  function axes(svg, kept, scale, size) {
    const { ticks, digits } = ticksOf(scale.low, scale.high, Math.max(2, Math.round(size.height / 70)));
    for (const value of ticks) {
      const y = scale.y(value);
      svg.append(make("line", { x1: size.left, x2: size.width - size.right, y1: y, y2: y, class: "grid" }));
      svg.append(make("text", { x: size.left - 6, y: y + 4, "text-anchor": "end" }, value.toFixed(digits)));
    }
    const bottom = size.height - size.bottom;
    svg.append(make("line", { x1: size.left, x2: size.width - size.right, y1: bottom, y2: bottom, class: "frame" }));
    let free = Infinity;
    for (let i = kept.xs.length - 1; i >= 0; i--) { // from the right: the last is always said
      const x = scale.x(kept.xs[i]), half = 3.6 * kept.names[i].length;
      if (x + half > free && i < kept.xs.length - 1) continue;
      free = x - half - 6;
      const edge = Math.min(x, size.width - half);
      svg.append(make("text", { x: edge, y: bottom + 17, "text-anchor": "middle" }, kept.names[i]));
    }
    if (!size.small) {
      const middle = size.left + (size.width - size.left - size.right) / 2;
      svg.append(make("text", { x: middle, y: size.height - 4, "text-anchor": "middle" }, unit()));
    }
  }
  const unit = () => ({ [FEATURED]: "features", [IMPOSED]: "minority to majority" })[chosen.get(VIEW)] ?? "samples seen";

  function curve(line, scale) {
    const selector = line[SELECTOR], [xs] = data.axes[line[AXIS]];
    const group = make("g", looks(selector));
    const at = xs.map((x, i) => [scale.x(x), line[MEAN][i], line[SD][i] ?? 0]).filter(([, mean]) => mean !== null);
    const path = (points) => points.map(([x, value]) => `${x.toFixed(1)} ${scale.y(value).toFixed(1)}`).join("L");
    const upper = at.map(([x, mean, sd]) => [x, mean + sd]), lower = at.map(([x, mean, sd]) => [x, mean - sd]).reverse();
    const band = make("g", looks(selector), make("path", { d: `M${path([...upper, ...lower])}z`, class: "band" }));
    group.append(make("path", { d: `M${path(at)}`, class: "curve", "stroke-dasharray": dashes(selector) }));
    const every = Math.ceil(at.length / MARKS);
    if (data.selectors[selector].marker) at.forEach(([x, mean], i) => {
      if (i % every === 0) group.append(mark(selector, x.toFixed(1), scale.y(mean).toFixed(1), line[MISSING]));
    });
    return [band, group];
  }

  function across(line, scale, size) {
    const y = scale.y(line[MEAN][0]), selector = line[SELECTOR];
    const path = { d: `M${size.left} ${y}H${size.width - size.right}`, class: "curve", "stroke-dasharray": dashes(selector) };
    return [make("g", looks(selector), make("path", path))];
  }

  function slot(line, scale) {
    const x = scale.slot(line), mean = line[MEAN][0], sd = line[SD][0] ?? 0;
    const group = make("g", looks(line[SELECTOR]));
    if (mean === null) return [group];
    group.append(make("path", { d: `M${x} ${scale.y(mean - sd)}V${scale.y(mean + sd)}`, class: "whisker" }));
    group.append(mark(line[SELECTOR], x, scale.y(mean), line[MISSING]));
    return [group];
  }

  function panel(set, lines, size) {
    const shown = lines.filter((line) => !hidden.has(line[SELECTOR]));
    const kept = arranged(shown);
    const measure = data.measures[chosen.get(MEASURE)];
    const scale = scales(kept, size, measure, shown);
    const name = `${measure.name} against ${data.views[chosen.get(VIEW)]}, ${data.sets[set]}`;
    const svg = make("svg", {
      viewBox: `0 0 ${size.width} ${size.height}`, role: "slider", tabindex: 0, "aria-label": name, "aria-orientation": "horizontal",
    });
    axes(svg, kept, scale, size);
    const groups = new Map();
    for (const line of kept.across) groups.set(line, across(line, scale, size));
    for (const line of kept.others) groups.set(line, kept.beside ? slot(line, scale) : curve(line, scale));
    svg.append(...[...groups.values()].map((parts) => parts[0]), ...[...groups.values()].flatMap((parts) => parts.slice(1)));
    svg.style.setProperty("--shade", Math.min(0.12, 0.5 / Math.max(1, shown.length)));
    const guide = make("line", { y1: size.top, y2: size.height - size.bottom, class: "guide", visibility: "hidden" });
    const tip = make("div", { class: "tip", hidden: "", "aria-hidden": "true" });
    svg.append(guide);
    const figure = make("figure", { class: "panel" }, make("figcaption", {}, size.small ? data.sets[set] : `${measure.name} on ${data.sets[set]}`), svg, tip);
    const own = { set, lines: shown, kept, scale, size, svg, guide, tip, groups, step: Math.max(0, kept.xs.length - 1), line: null };
    svg.setAttribute("aria-valuemin", 0);
    svg.setAttribute("aria-valuenow", own.step);
    svg.setAttribute("aria-valuetext", where(own));
    svg.setAttribute("aria-valuemax", Math.max(0, kept.xs.length - 1));
    listen(own);
    return [figure, own];
  }

  function draw() {
    const lines = matching();
    const sets = [...new Set(lines.map((line) => line[SET]))].sort((a, b) => a - b);
    const many = sets.length > 1;
    box.className = many ? "panels many" : "panels";
    const room = box.clientWidth || 640;
    const columns = many ? Math.max(1, Math.floor((room + 16) / 256)) : 1;
    const width = Math.max(220, Math.floor((room - 16 * (columns - 1)) / columns));
    const size = { width, height: many ? 180 : Math.round(Math.min(440, Math.max(260, width * 0.6))), left: 46, right: 10, top: 8, bottom: many ? 24 : 40, small: many };
    const made = sets.map((set) => panel(set, lines.filter((line) => line[SET] === set), size));
    panels = made.map(([, own]) => own);
    box.replaceChildren(...made.map(([figure]) => figure));
    caption.textContent = `Mean${data.over ? ` over ${data.over}` : ""}, with one standard deviation.` +
      (lines.some((line) => line[MISSING]) ? " Hollow marks rest on fewer results than planned." : "");
    last = panels[0] ?? null;
    legend(new Set(lines.map((line) => line[SELECTOR])));
    if (last) told(last);
  }

  // Reading values.
  const valueAt = (own, line) => {
    const [xs] = data.axes[line[AXIS]];
    const i = own.kept.across.includes(line) || own.kept.beside ? 0 : xs.indexOf(own.kept.xs[own.step]);
    return i < 0 ? [null, null] : [line[MEAN][i], line[SD][i]];
  };
  const ordered = (own) => own.lines.filter((line) => valueAt(own, line)[0] !== null)
    .sort((a, b) => valueAt(own, b)[0] - valueAt(own, a)[0]);
  const each = (own, act) => {
    for (const [line, parts] of own.groups) for (const part of parts) act(line, part);
  };
  const where = (own) => {
    const x = own.kept.names[own.step];
    return !own.lines.length ? "" : x === undefined ? "all features" : chosen.get(VIEW) === IMPOSED ? x : `${x} ${unit()}`;
  };

  function told(own) {
    last = own;
    title.textContent = `${panels.length > 1 ? `${data.sets[own.set]}, ` : ""}${where(own)}`;
    for (const button of list.querySelectorAll("button")) {
      const line = own.lines.find((one) => one[SELECTOR] === Number(button.dataset.selector));
      button.lastChild.textContent = line ? spread(...valueAt(own, line)) : "";
      button.classList.toggle("at", Boolean(line) && line === own.line);
    }
  }

  function show(own) {
    const order = ordered(own);
    if (!order.includes(own.line)) own.line = order[0] ?? null;
    told(own);
    if (!own.line) return;
    const [mean, sd] = valueAt(own, own.line), look = data.selectors[own.line[SELECTOR]];
    const x = own.kept.beside && !own.kept.across.includes(own.line) ? own.scale.slot(own.line) : own.scale.x(own.kept.xs[own.step] ?? 0);
    own.guide.setAttribute("x1", x);
    own.guide.setAttribute("x2", x);
    own.guide.setAttribute("visibility", "visible");
    each(own, (line, part) => part.classList.toggle("strong", line === own.line));
    own.tip.textContent = `${look.name} ${spread(mean, sd)}`;
    own.tip.hidden = false;
    const drawn = own.svg.getBoundingClientRect(), around = own.tip.parentElement.getBoundingClientRect();
    const share = drawn.width / own.size.width, half = own.tip.offsetWidth / 2;
    own.tip.style.left = `${Math.min(Math.max(x * share, half), drawn.width - half)}px`;
    own.tip.style.top = `${drawn.top - around.top + own.scale.y(mean) * share}px`;
    own.svg.setAttribute("aria-valuenow", own.step);
    own.svg.setAttribute("aria-valuetext", `${where(own)}: ${look.name} ${spread(mean, sd)}, ${order.indexOf(own.line) + 1} of ${order.length}`);
  }

  function leave(own) {
    own.tip.hidden = true;
    own.guide.setAttribute("visibility", "hidden");
    each(own, (line, part) => part.classList.remove("strong"));
  }

  function nearest(own, event) {
    const frame = own.svg.getBoundingClientRect();
    const x = (event.clientX - frame.left) * own.size.width / frame.width;
    const y = (event.clientY - frame.top) * own.size.height / frame.height;
    const { kept, scale } = own;
    if (!kept.beside) {
      const gaps = kept.xs.map((value) => Math.abs(scale.x(value) - x));
      own.step = Math.max(0, gaps.indexOf(Math.min(...gaps)));
    }
    const away = (line) => {
      const up = Math.abs(scale.y(valueAt(own, line)[0]) - y);
      return kept.beside && !kept.across.includes(line) ? 4 * Math.abs(scale.slot(line) - x) + up / 4 : up;
    };
    own.line = ordered(own).sort((a, b) => away(a) - away(b))[0] ?? null;
    show(own);
  }

  function listen(own) {
    own.svg.addEventListener("pointermove", (event) => nearest(own, event));
    own.svg.addEventListener("pointerdown", (event) => nearest(own, event));
    own.svg.addEventListener("pointerleave", () => leave(own));
    own.svg.addEventListener("focus", () => show(own));
    own.svg.addEventListener("blur", () => leave(own));
    own.svg.addEventListener("keydown", (event) => {
      const most = Math.max(0, own.kept.xs.length - 1), order = own.kept.beside ? own.kept.others : ordered(own);
      const steps = { ArrowLeft: own.step - 1, ArrowRight: own.step + 1, Home: 0, End: most };
      const turns = { ArrowUp: -1, ArrowDown: 1 };
      if (own.kept.beside) [turns.ArrowLeft, turns.ArrowRight] = [-1, 1];
      if (event.key in steps && !own.kept.beside) own.step = Math.min(most, Math.max(0, steps[event.key]));
      else if (event.key in turns && order.length) {
        const at = order.indexOf(own.line) + turns[event.key];
        own.line = order[Math.min(order.length - 1, Math.max(0, at))];
      } else return;
      event.preventDefault();
      show(own);
    });
  }

  // The legend: every name a button that takes its line away or brings it back.
  function swatch(selector) {
    const path = make("path", { d: "M1 8H33", class: "curve", "stroke-dasharray": dashes(selector) });
    const svg = make("svg", { width: 34, height: 16, viewBox: "0 0 34 16", "aria-hidden": "true", ...looks(selector) }, path);
    if (data.selectors[selector].marker) svg.append(mark(selector, 17, 8, false));
    return svg;
  }

  /** A long name breaks behind a bracket or a comma, and nowhere else if it can be helped. */
  const pieces = (name) => name.split(/(?<=\(|, )/).map((piece) => make("span", {}, piece));

  function legend(there) {
    list.replaceChildren(...[...there].sort((a, b) => a - b).map((selector) => {
      const look = data.selectors[selector];
      const button = make("button", { type: "button", "aria-pressed": String(!hidden.has(selector)), "data-selector": selector, title: look.label },
        swatch(selector), make("span", { class: "name" }, ...pieces(look.name)), make("span"));
      const raise = (up) => () => {
        for (const own of panels) each(own, (line, part) => {
          part.classList.toggle("strong", up && line[SELECTOR] === selector);
          part.classList.toggle("faint", up && !hidden.has(selector) && line[SELECTOR] !== selector);
        });
      };
      for (const [kind, up] of [["mouseenter", true], ["focus", true], ["mouseleave", false], ["blur", false]]) button.addEventListener(kind, raise(up));
      button.addEventListener("click", () => {
        hidden.has(selector) ? hidden.delete(selector) : hidden.add(selector);
        draw();
        list.querySelector(`[data-selector="${selector}"]`).focus();
      });
      return make("li", {}, button);
    }));
  }

  // The page.
  const controls = make("div", { class: "controls" });
  for (const [key, name] of CHOICES) {
    const select = make("select");
    select.addEventListener("change", () => {
      chosen.set(key, Number(select.value));
      refresh();
    });
    selects.set(key, select);
    controls.append(make("label", {}, name, select));
  }
  const box = make("div", { class: "panels" });
  const caption = make("p", { class: "note" });
  const title = make("h3"), list = make("ul");
  const every = (label, act) => {
    const button = make("button", { type: "button" }, label);
    button.addEventListener("click", () => { act(); draw(); });
    return button;
  };
  const all = every("Show all", () => hidden.clear());
  const none = every("Hide all", () => data.selectors.forEach((_, selector) => hidden.add(selector)));
  const side = make("div", { class: "legend" }, title, list, make("div", { class: "both" }, all, none));
  place.append(controls, make("div", { class: "plot" }, make("div", {}, box, caption), side));

  // Over features if any line has several counts, else over the samples seen.
  const several = data.lines.find((line) => data.axes[line[AXIS]][0].length > 1);
  if (several) chosen.set(VIEW, several[VIEW]);
  refresh();
  let width = box.clientWidth;
  new ResizeObserver(() => {
    if (Math.abs(box.clientWidth - width) < 8) return;
    width = box.clientWidth;
    draw();
  }).observe(box);
})();
