/** Timing wheels as rings, and the view that shows them. What a timer sends: see Rings.java. */
export interface Bucket {
  arc: number;
  startMillis: number;
  visitMillis: number;
  moving: boolean;
  next: boolean;
  pending: number;
  ended: number;
  tasks: string[];
}

export interface Level {
  level: number;
  tickMillis: number;
  wheelSize: number;
  bucketMillis: number;
  slots: number;
  arcs: number;
  nowArc: number;
  pending: number;
  ended: number;
  buckets: Bucket[];
}

export interface Wheels {
  nowMillis: number;
  /** Absent if nothing is scheduled, or the timer is closed. */
  nextDueMillis?: number;
  scheduled: number;
  kept: number;
  levels: Level[];
}

export interface Timer extends Wheels {
  purgatories: string[];
}

const SVG = "http://www.w3.org/2000/svg";
const SIZE = 400;
const CENTER = SIZE / 2;
const INNERMOST = 50;

/** A time in the largest unit of which there is at least one. */
export function time(millis: number): string {
  const units: [string, number][] = [["d", 86_400_000], ["h", 3_600_000], ["min", 60_000], ["s", 1000], ["ms", 1], ["µs", 1e-3]];
  const [name, size] = units.find(([, least]) => Math.abs(millis) >= least) ?? ["ms", 1];
  return (millis / size).toLocaleString("en", { maximumFractionDigits: 1 }) + " " + name;
}

function svg(name: string, attributes: Record<string, string | number>, ...children: (Node | string)[]): SVGElement {
  const made = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, String(value)));
  made.append(...children);
  return made;
}

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  made.append(...children);
  return made;
}

/** A table with these heads, the first cell of each row being its head. */
export function table(caption: string, heads: string[], rows: string[][]): HTMLElement {
  return element(
    "table",
    { class: "cards" },
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
    element(
      "tbody",
      {},
      ...rows.map(([head, ...cells]) =>
        element("tr", {}, element("th", { scope: "row" }, head), ...cells.map((cell, index) => element("td", { "data-label": heads[index + 1] }, cell))),
      ),
    ),
  );
}

function point(radius: number, turn: number): string {
  const angle = turn * 2 * Math.PI - Math.PI / 2;
  return `${(CENTER + radius * Math.cos(angle)).toFixed(2)} ${(CENTER + radius * Math.sin(angle)).toFixed(2)}`;
}

/** A part of a ring; with two arcs or more, each is at most half of a turn. */
function sector(inner: number, outer: number, from: number, to: number): string {
  const long = to - from > 0.5 ? 1 : 0;
  return (
    `M ${point(outer, from)} A ${outer} ${outer} 0 ${long} 1 ${point(outer, to)} ` +
    `L ${point(inner, to)} A ${inner} ${inner} 0 ${long} 0 ${point(inner, from)} Z`
  );
}

function ring(level: Level, nowMillis: number, inner: number, outer: number, most: number): SVGElement[] {
  const drawn = [
    svg("circle", { class: "ring", cx: CENTER, cy: CENTER, r: inner }),
    svg("circle", { class: "ring", cx: CENTER, cy: CENTER, r: outer }),
  ];
  if (level.arcs <= 16) {
    for (let arc = 0; arc < level.arcs; arc++) {
      drawn.push(svg("path", { class: "ring", d: `M ${point(inner, arc / level.arcs)} L ${point(outer, arc / level.arcs)}` }));
    }
  }
  level.buckets.forEach((bucket) => {
    const from = bucket.arc / level.arcs;
    const to = (bucket.arc + 1) / level.arcs;
    const shade = bucket.pending === 0 ? 0.08 : 0.25 + 0.75 * (Math.log(1 + bucket.pending) / Math.log(1 + most));
    drawn.push(
      svg(
        "path",
        {
          class: "bucket" + (bucket.next ? " next" : "") + (bucket.moving ? " moving" : ""),
          d: sector(inner, outer, from, to),
          "fill-opacity": shade.toFixed(2),
        },
        svg("title", {}, `level ${level.level}, begins ${when(bucket.startMillis - nowMillis)}: ${bucket.pending} pending, ${bucket.ended} ended`),
      ),
    );
    if (bucket.tasks.length > 0) {
      const [x, y] = point((inner + outer) / 2, (from + to) / 2).split(" ");
      drawn.push(svg("text", { class: "task", x, y }, bucket.tasks.join(" ")));
    }
  });
  const now = (level.nowArc + 0.5) / level.arcs;
  drawn.push(svg("path", { class: "now", d: `M ${point(inner, now)} L ${point(outer, now)}` }));
  const [x, y] = point((inner + outer) / 2, 0).split(" ");
  drawn.push(svg("text", { class: "level", x, y }, `level ${level.level}`));
  return drawn;
}

/** The times of a bucket, the last one included. */
export function span(level: Level, bucket: Bucket): string {
  const ticks = level.bucketMillis / level.tickMillis;
  const last = bucket.startMillis + level.bucketMillis - level.tickMillis;
  return ticks === 1 ? time(bucket.startMillis) : `${bucket.startMillis.toLocaleString("en")} to ${last.toLocaleString("en")} ms`;
}

/** Draws one ring per level, the finest one inside. */
export function rings(wheels: Wheels, name: string): SVGElement {
  const levels = wheels.levels.filter((level) => level.level > 0);
  const width = Math.min(48, (CENTER - 4 - INNERMOST) / Math.max(1, levels.length));
  const most = Math.max(1, ...levels.flatMap((level) => level.buckets.map((bucket) => bucket.pending)));
  const pending = wheels.levels.reduce((sum, level) => sum + level.pending, 0);
  return svg(
    "svg",
    { class: "wheels", viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img", "aria-label": `${name}: ${pending} entries on ${levels.length} levels` },
    ...levels.flatMap((level, index) => ring(level, wheels.nowMillis, INNERMOST + index * width, INNERMOST + (index + 1) * width - 3, most)),
    svg("text", { class: "clock", x: CENTER, y: CENTER }, time(wheels.nowMillis)),
  );
}

/** A table with a row for each level; a line if there is none. */
export function levelTable(wheels: Wheels): HTMLElement {
  if (wheels.levels.length === 0) {
    return element("p", { class: "note" }, "Nothing is scheduled.");
  }
  const wakes = wheels.nextDueMillis === undefined ? "nothing to do" : "the clock wakes up " + when(wheels.nextDueMillis - wheels.nowMillis);
  return table(
    `${wheels.scheduled} scheduled, ${wheels.kept} kept; ${wakes}`,
    ["level", "per bucket", "buckets in use", "pending", "ended", "next visit"],
    wheels.levels.map((level) => [
      level.level === 0 ? "due" : String(level.level),
      level.level === 0 ? "–" : time(level.bucketMillis),
      level.level === 0 ? "–" : `${level.buckets.length} of ${level.arcs}`,
      String(level.pending),
      String(level.ended),
      nextVisit(level, wheels.nowMillis),
    ]),
  );
}

function when(millis: number): string {
  return millis <= 0 ? "now" : "in " + time(millis);
}

function nextVisit(level: Level, nowMillis: number): string {
  if (level.level === 0) {
    return "–";
  }
  const first = level.buckets.reduce((one, two) => (one.visitMillis <= two.visitMillis ? one : two));
  return first.moving ? "moving to finer wheels" : when(first.visitMillis - nowMillis);
}

export function isShown(): boolean {
  return location.hash === "#wheels";
}

/** Shows the wheels of the timers, while their view is open. */
export function showWheels(timers: Timer[]): void {
  if (isShown()) {
    document.getElementById("rings")!.replaceChildren(
      ...(timers.length === 0 ? [element("p", { class: "note" }, "No purgatory of this program is shown: wheels cannot be read from others.")] : []),
      ...timers.map((timer) => {
        const name = timer.purgatories.join(", ");
        const drawn = timer.levels.length === 0 ? [] : [rings(timer, name)];
        return element("figure", { class: "timer" }, element("figcaption", {}, name), ...drawn, levelTable(timer));
      }),
    );
  }
}

/** Opens the view that the address names. */
function open(): void {
  document.getElementById("view-purgatories")!.hidden = isShown();
  document.getElementById("view-wheels")!.hidden = !isShown();
  document.querySelectorAll("nav a").forEach((link) => {
    const current = (link.getAttribute("href") === "#wheels") === isShown();
    current ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  });
}

addEventListener("hashchange", open);
open();
