import "./player";
import { element, showWheels, type Timer } from "./wheels";

/** What the server sends each second: see Sampler.java. */
interface Counts {
  held: number;
  completed: number;
  timedOut: number;
  cancelled: number;
  failed: number;
  closed: number;
  errors: number;
}

interface Finding {
  kind: string;
  title: string;
  evidence: string;
  meaning: string;
  page: string;
}

interface Key {
  key: string;
  waiters: number;
  oldestMillis: number | null;
  checkedMillis: number | null;
  checks: number | null;
  reason: string | null;
  signalledMillis: number | null;
  completed: number | null;
  missed: number;
}

interface Request {
  id: number;
  request: string;
  keys: string[];
  scopes: string[];
  tag: string | null;
  heldMillis: number;
  leftMillis: number | null;
  why: string | null;
}

/** An event in the story of a request: see Story.java. */
interface Told {
  kind: "HELD" | "NOT_READY" | "READY" | "THREW" | "ENDED";
  atMillis: number;
  thread: string | null;
  reason: string | null;
  leftMillis: number | null;
  outcome: string | null;
  error: string | null;
}

interface Story {
  outcome: string | null;
  leftOut: number;
  events: Told[];
}

interface Purgatory {
  name: string;
  pending: number;
  oldestMillis: number | null;
  nextDueMillis: number | null;
  lateMillis: number | null;
  total?: Counts;
  perSecond?: Counts;
  diagnosed?: boolean;
  keyCount?: number;
  listed?: boolean;
  limitMillis?: number | null;
  findings?: Finding[];
  signals?: { seconds: number; observed: number; unheard: number; keys: string[] };
  keys?: Key[];
  requests?: Request[];
  ends?: Record<string, number>;
}

interface WakeUps {
  samples: number;
  sites: { place: string; code: string; line: string; running: number; waiting: number }[];
}

interface Registries {
  sessions: { title: string; open: number }[];
  throttles: { title: string; keys: number | null; waiting: number | null }[];
}

interface Program {
  title: string;
  findings?: Finding[];
  wakeUps?: WakeUps;
  obstacle?: string;
  timers?: Timer[];
  registries?: Registries;
  purgatories: Purgatory[];
}

interface Sample {
  showsKeys: boolean;
  programs: Program[];
}

/** A sample of one purgatory, as the charts remember it. */
interface Moment {
  pending: number;
  ends: Record<string, number>;
  limitMillis: number | null;
}

const DOCS = "https://github.com/purgatory-dev/purgatory/blob/main/docs/";
const UNKNOWN = "–";
const MOST_MOMENTS = 120;
const MOST_UNHEARD = 5;
const MOST_FOLLOWED = 20;
const SILENCE_MILLIS = 5000;
const AGAIN_MILLIS = 3000;

const moments = new Map<string, Moment[]>();
let latest: Sample | undefined;
let paused = false;
let sortBy: "waiters" | "oldestMillis" | "checkedMillis" | "signalledMillis" | "missed" = "waiters";

function byId<E extends HTMLElement>(id: string): E {
  return document.getElementById(id) as E;
}

/**
 * Shows an element for each item, in order. Elements of items that were there before stay, with their
 * focus and selection.
 */
function list<T>(
  parent: HTMLElement,
  items: T[],
  id: (item: T) => string,
  create: (item: T) => HTMLElement,
  update: (shown: HTMLElement, item: T) => void,
): void {
  const known = new Map([...parent.children].map((each) => [(each as HTMLElement).dataset.id, each as HTMLElement]));
  const used = new Set<string>();
  items.forEach((item, index) => {
    let unique = id(item);
    while (used.has(unique)) {
      unique += "'"; // two keys may have the same text
    }
    used.add(unique);
    let shown = known.get(unique);
    known.delete(unique);
    if (!shown) {
      shown = create(item);
      shown.dataset.id = unique;
    }
    if (parent.children[index] !== shown) {
      parent.insertBefore(shown, parent.children[index] ?? null);
    }
    update(shown, item);
  });
  known.forEach((each) => each.remove());
}

function setText(shown: Element, text: string): void {
  if (shown.textContent !== text) {
    shown.textContent = text;
  }
}

function count(value: number): string {
  return value.toLocaleString("en");
}

function rate(value: number | undefined): string {
  if (value === undefined) {
    return UNKNOWN;
  }
  return value === 0 ? "0" : value < 9.95 ? value.toFixed(1) : count(Math.round(value));
}

function millis(value: number | null | undefined): string {
  if (value === null || value === undefined) {
    return UNKNOWN;
  }
  if (value < 1000) {
    return (value < 10 && !Number.isInteger(value) ? value.toFixed(1) : Math.round(value)) + " ms";
  }
  const seconds = value / 1000;
  if (seconds < 60) {
    return seconds.toFixed(1) + " s";
  }
  return seconds < 3600
    ? Math.floor(seconds / 60) + " min " + Math.floor(seconds % 60) + " s"
    : count(Math.floor(seconds / 3600)) + " h " + Math.floor((seconds / 60) % 60) + " min";
}

// One strip per purgatory.

interface Strip {
  id: string;
  of: Purgatory;
}

const COLUMNS: [string, (of: Purgatory) => string][] = [
  ["pending", (of) => count(of.pending)],
  ["oldest", (of) => (of.pending === 0 ? UNKNOWN : millis(of.oldestMillis))],
  ["held/s", (of) => rate(of.perSecond?.held)],
  ["completed/s", (of) => rate(of.perSecond?.completed)],
  ["timed out/s", (of) => rate(of.perSecond?.timedOut)],
  ["cancelled/s", (of) => rate(of.perSecond && of.perSecond.cancelled + of.perSecond.closed)],
  ["failed/s", (of) => rate(of.perSecond?.failed)],
  ["errors", (of) => (of.total && of.diagnosed === undefined ? count(of.total.errors) : UNKNOWN)], // diagnostics do not count them
  ["late p99", (of) => (of.total?.timedOut ? millis(of.lateMillis) : UNKNOWN)],
  ["wakes in", (of) => (of.nextDueMillis === null || of.nextDueMillis < 0 ? UNKNOWN : millis(of.nextDueMillis))],
];

function stripsOf(program: Program): Strip[] {
  return program.purgatories.map((of) => ({ id: program.title + "/" + of.name, of }));
}

function showPurgatories(sample: Sample): void {
  list(
    byId("purgatories"),
    sample.programs,
    (program) => program.title,
    (program) =>
      element(
        "table",
        {},
        element("caption", {}, program.title),
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            ...["purgatory", ...COLUMNS.map(([name]) => name), "pending, last two minutes"].map((name) =>
              element("th", { scope: "col" }, name),
            ),
          ),
        ),
        element("tbody"),
      ),
    (table, program) => {
      setText(table.querySelector("caption")!, program.title + (program.obstacle ? ": " + program.obstacle : ""));
      list(
        table.querySelector("tbody")!,
        stripsOf(program),
        (strip) => strip.id,
        createStrip,
        updateStrip,
      );
    },
  );
}

function createStrip(strip: Strip): HTMLElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "spark");
  svg.setAttribute("viewBox", `0 0 ${MOST_MOMENTS} 20`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  svg.append(document.createElementNS("http://www.w3.org/2000/svg", "polyline"));
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, strip.of.name),
    ...COLUMNS.map(([name]) => element("td", { "data-label": name })),
    element("td", { "data-label": "" }, svg),
  );
}

function updateStrip(row: HTMLElement, strip: Strip): void {
  COLUMNS.forEach(([, text], index) => setText(row.children[index + 1], text(strip.of)));
  const pending = (moments.get(strip.id) ?? []).map((each) => each.pending);
  const most = Math.max(1, ...pending);
  const points = pending.map((value, index) => `${MOST_MOMENTS - pending.length + index},${19 - (value / most) * 18}`);
  row.querySelector("polyline")!.setAttribute("points", points.join(" "));
}

// Findings.

/** Whether this is the program that serves the page; of others, there are only numbers. */
function isOwn(program: Program): boolean {
  return program.wakeUps !== undefined;
}

function showFindings(sample: Sample): void {
  const found = sample.programs.flatMap((program) =>
    [{ name: program.title, findings: program.findings }, ...program.purgatories].flatMap((of) =>
      (of.findings ?? []).map((finding) => ({ of, finding })),
    ),
  );
  const parent = byId("findings");
  const blind = sample.programs.flatMap((program) => program.purgatories).filter((of) => of.diagnosed === false);
  const others = sample.programs.filter((program) => !isOwn(program)).map((program) => program.title);
  const notes: string[] = [];
  if (others.length < sample.programs.length && found.length === 0) {
    notes.push("Nothing is wrong, as far as this page can see." + (blind.length > 0 ? " Without diagnostics: " + blind.map((of) => of.name).join(", ") + "." : ""));
  }
  if (others.length > 0) {
    notes.push(
      `Not looked at: ${others.join(", ")}. Of another program, only numbers are known. Findings, keys, requests, times held` +
        " and timing wheels are only on a page that a program serves about itself.",
    );
  }
  list<string | (typeof found)[number]>(
    parent,
    [...found, ...notes],
    (each) => (typeof each === "string" ? each : each.of.name + "/" + each.finding.kind + "/" + each.finding.title),
    (each) =>
      typeof each === "string"
        ? element("p", { class: "note" }, each)
        : element(
            "article",
            { class: "finding", "data-kind": each.finding.kind },
            element("h3", {}, each.of.name + ": " + each.finding.title),
            element("p", { class: "evidence" }),
            element(
              "p",
              {},
              each.finding.meaning + " ",
              element("a", { href: DOCS + each.finding.page, target: "_blank", rel: "noopener noreferrer" }, "More"),
            ),
          ),
    (shown, each) => {
      if (typeof each !== "string") {
        setText(shown.querySelector(".evidence")!, each.finding.evidence);
      }
    },
  );
}

// Keys and requests.

function hidden(sample: Sample, parent: HTMLElement): boolean {
  if (sample.showsKeys) {
    return false;
  }
  list(
    parent,
    ["Keys and requests are hidden. Console.builder().showKeys() shows them."],
    (text) => text,
    (text) => element("p", { class: "note" }, text),
    () => {},
  );
  return true;
}

/** Says how many signals found nobody, which is normal while they are for other keys. */
function unheard(of: Purgatory): string {
  const signals = of.signals;
  return !signals || signals.unheard === 0
    ? ""
    : `. ${count(signals.unheard)} of ${count(signals.observed)} signals of the last ${signals.seconds} s found nobody: for ` +
        signals.keys.join(", ") +
        (signals.keys.length === MOST_UNHEARD ? ", …" : "");
}

function showKeys(sample: Sample): void {
  const parent = byId("keys");
  if (hidden(sample, parent)) {
    return;
  }
  const wanted = byId<HTMLInputElement>("search").value.toLowerCase();
  const sorts: [typeof sortBy, string][] = [
    ["waiters", "waiters"],
    ["oldestMillis", "oldest"],
    ["checkedMillis", "last check"],
    ["signalledMillis", "last signal"],
    ["missed", "missed signals"],
  ];
  list(
    parent,
    sample.programs.flatMap(stripsOf).filter((strip) => strip.of.keys),
    (strip) => strip.id,
    (strip) =>
      element(
        "table",
        {},
        element("caption", {}, strip.of.name),
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            element("th", { scope: "col" }, "key"),
            ...sorts.map(([column, name]) => {
              const button = element("button", { type: "button" }, name);
              button.addEventListener("click", () => {
                sortBy = column;
                show();
              });
              return element("th", { scope: "col", "data-column": column }, button);
            }),
          ),
        ),
        element("tbody"),
      ),
    (table, strip) => {
      const keys = (strip.of.keys ?? [])
        .filter((each) => each.key.toLowerCase().includes(wanted))
        .sort((one, two) => (two[sortBy] ?? -1) - (one[sortBy] ?? -1));
      setText(
        table.querySelector("caption")!,
        `${strip.of.name}: ${count(strip.of.keyCount ?? 0)} keys` +
          (keys.length < (strip.of.keyCount ?? 0) ? `, ${keys.length} shown` : "") +
          unheard(strip.of),
      );
      table.querySelectorAll<HTMLElement>("th[data-column]").forEach((each) => {
        each.setAttribute("aria-sort", each.dataset.column === sortBy ? "descending" : "none");
      });
      list(
        table.querySelector("tbody")!,
        keys,
        (each) => each.key,
        (each) => element("tr", {}, element("td", {}, each.key), ...sorts.map(() => element("td"))),
        (row, each) => {
          setText(row.children[1], count(each.waiters));
          setText(row.children[2], millis(each.oldestMillis));
          setText(
            row.children[3],
            each.checkedMillis === null
              ? UNKNOWN
              : `${millis(each.checkedMillis)} ago, check ${count(each.checks ?? 0)}` + (each.reason === null ? "" : ", for " + each.reason),
          );
          setText(
            row.children[4],
            each.signalledMillis === null
              ? strip.of.signals?.seconds
                ? `none in ${strip.of.signals.seconds} s`
                : UNKNOWN
              : millis(each.signalledMillis) + " ago, answered " + (each.completed ? count(each.completed) : "none"),
          );
          setText(row.children[5], count(each.missed));
        },
      );
    },
  );
}

/** A request on the page, which is followed once it was opened. */
interface Shown {
  id: string;
  of: string;
  request: Request;
  open: boolean;
  story?: Story;

  /** Whether it has ended, and nothing more is known. */
  gone?: boolean;
}

/** The requests that were opened, by their id, the last one that was opened last. */
const followed = new Map<string, Shown>();

function opened(shown: HTMLDetailsElement, id: string, of: string, request: Request): void {
  const known = followed.get(id) ?? { id, of, request, open: true };
  known.open = shown.open;
  followed.delete(id);
  followed.set(id, known);
  const [oldest] = followed.keys();
  if (followed.size > MOST_FOLLOWED) {
    followed.delete(oldest);
  }
  void follow(known).then(show);
}

/** Whether the latest sample has the request, or might have it if it listed all. */
function mayBeHeld({ id, request }: Shown): boolean {
  return (latest?.programs ?? [])
    .flatMap(stripsOf)
    .filter((strip) => id === strip.id + "/" + request.id)
    .some(({ of }) => !of.listed || of.requests?.some((each) => each.id === request.id));
}

/** Asks for the story of a request that is open and has not ended. */
async function follow(shown: Shown): Promise<void> {
  if (!shown.open || shown.story?.outcome || shown.gone) {
    return;
  }
  try {
    const response = await fetch(`story?id=${shown.request.id}&purgatory=${encodeURIComponent(shown.of)}`);
    if (response.ok) {
      shown.story = (await response.json()) as Story;
    } else if (response.status === 404) {
      shown.gone = !mayBeHeld(shown);
    }
  } catch {
    // The status says that the program does not answer.
  }
}

function tell(event: Told): string {
  const by = event.thread === null ? "" : `, by ${event.thread}`;
  const why = event.reason === null ? "" : `, for ${event.reason}`;
  const left = event.leftMillis;
  const texts: Record<Told["kind"], string> = {
    HELD: "held, " + (left === null ? "without a time limit" : `for at most ${millis(left)}`),
    NOT_READY: `not ready${why}${by}`,
    READY: `ready${why}${by}`,
    THREW: `its condition threw ${event.error}${why}${by}`,
    ENDED:
      `ended: ${event.outcome}` + (left !== null && left < 0 ? `, ${millis(-left)} late` : "") + (event.error === null ? "" : `, ${event.error}`) + (event.thread === null ? "" : `, answered by ${event.thread}`),
  };
  return `${millis(event.atMillis)}: ${texts[event.kind]}`;
}

function told(story: Story): string[] {
  const texts = story.events.map(tell);
  if (story.leftOut > 0) {
    texts.splice(1, 0, `… ${count(story.leftOut)} earlier checks …`);
  }
  return texts;
}

function summary({ of, request, story, gone }: Shown): string {
  const end = story?.events.find((event) => event.outcome !== null);
  const left = request.leftMillis === null ? "no time limit" : millis(Math.max(0, request.leftMillis)) + " left";
  return (
    `${of}: ` +
    (story?.outcome
      ? `ended with ${story.outcome}` + (end ? ` after ${millis(end.atMillis)}` : "")
      : gone
        ? "ended"
        : `held for ${millis(request.heldMillis)}, ${left}`) +
    ", on " +
    (request.keys.length === 0 ? "no key" : request.keys.join(", ")) +
    (request.scopes.length === 0 ? "" : ", in " + request.scopes.join(", ")) +
    (request.tag === null ? "" : `, tag ${request.tag}`)
  );
}

function createRequest({ id, of, request }: Shown): HTMLElement {
  const copy = element("button", { type: "button" }, "Copy as JSON");
  const shown = element(
    "details",
    {},
    element("summary"),
    element("p", { class: "why" }),
    element("p", { class: "text dim" }),
    element("ol", { class: "story" }),
    element("p", {}, copy),
  );
  shown.addEventListener("toggle", () => opened(shown, id, of, request));
  copy.addEventListener("click", async () => {
    const json = shown.dataset.json ?? "";
    try {
      await navigator.clipboard.writeText(json);
      copy.textContent = "Copied";
      setTimeout(() => (copy.textContent = "Copy as JSON"), 1500);
    } catch {
      // Not allowed, or the page came over HTTP from another machine: the user copies it.
      const text = element("textarea", { readonly: "", rows: "10", "aria-label": "The request as JSON" }, json);
      shown.querySelector("textarea")?.remove();
      copy.after(text);
      text.select();
    }
  });
  return shown;
}

function updateRequest(shown: HTMLElement, each: Shown): void {
  const { of, request, story, gone } = each;
  shown.dataset.json = JSON.stringify({ purgatory: of, ...request, story }, null, 2);
  setText(shown.querySelector("summary")!, summary(each));
  const why = request.why ?? "This purgatory has no diagnostics: nothing more is known.";
  setText(shown.querySelector(".why")!, story?.outcome || gone ? "It has ended." : why);
  setText(shown.querySelector(".text")!, request.why === null ? request.request : "");
  list(
    shown.querySelector<HTMLElement>(".story")!,
    story ? told(story) : [],
    (text) => text,
    (text) => element("li", {}, text),
    () => {},
  );
}

/** Shows the listed requests, and those that were opened and have ended since. */
function showRequests(sample: Sample): void {
  const parent = byId("requests");
  if (hidden(sample, parent)) {
    return;
  }
  const requests = sample.programs.flatMap(stripsOf).flatMap((strip) =>
    (strip.of.requests ?? []).map((request) => {
      const id = strip.id + "/" + request.id;
      const known = followed.get(id);
      if (known) {
        known.request = request;
        known.gone = false;
      }
      return known ?? { id, of: strip.of.name, request, open: false };
    }),
  );
  const listed = new Set(requests.map((each) => each.id));
  const others = [...followed.values()].filter((each) => !listed.has(each.id) && (each.open || each.story?.outcome || each.gone));
  const notes = sample.programs
    .flatMap((program) => program.purgatories)
    .filter((of) => of.listed === false)
    .map((of) => `${of.name}: too many requests (${count(of.pending)}) to list`);
  list<Shown | string>(
    parent,
    [...requests, ...others, ...notes],
    (each) => (typeof each === "string" ? each : each.id),
    (each) => (typeof each === "string" ? element("p", { class: "note" }, each) : createRequest(each)),
    (shown, each) => {
      if (typeof each !== "string") {
        updateRequest(shown, each);
      }
    },
  );
}

// Sessions and throttles.

function showTable(parent: HTMLElement, columns: string[], rows: string[][]): void {
  list(
    parent,
    rows.length === 0 ? [] : [rows],
    () => columns[0],
    () =>
      element(
        "table",
        {},
        element("thead", {}, element("tr", {}, ...columns.map((name) => element("th", { scope: "col" }, name)))),
        element("tbody"),
      ),
    (table) =>
      list(
        table.querySelector("tbody")!,
        rows,
        (row) => row[0],
        (row) => element("tr", {}, element("th", { scope: "row" }, row[0]), ...row.slice(1).map(() => element("td"))),
        (shown, row) => row.forEach((text, index) => setText(shown.children[index], text)),
      ),
  );
}

function showRegistries(sample: Sample): void {
  const all = sample.programs.flatMap((program) => program.registries ?? []);
  const sessions = all.flatMap((each) => each.sessions);
  const throttles = all.flatMap((each) => each.throttles);
  byId("view-registries").hidden = sessions.length + throttles.length === 0;
  showTable(
    byId("sessions"),
    ["sessions", "open"],
    sessions.map((each) => [each.title, count(each.open)]),
  );
  showTable(
    byId("throttles"),
    ["throttles", "keys", "waiting requests"],
    throttles
      .sort((one, two) => (two.waiting ?? 0) - (one.waiting ?? 0))
      .map((each) => [each.title, ...[each.keys, each.waiting].map((number) => (number === null ? UNKNOWN : count(number)))]),
  );
}

// What threads do between a signal and an answer.

function showWakeUps(sample: Sample): void {
  list(
    byId("wakeups"),
    sample.programs.filter((program) => program.wakeUps),
    (program) => program.title,
    () =>
      element(
        "table",
        {},
        element("caption"),
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            ...["in", "at", "threads that ran", "threads that waited"].map((name) => element("th", { scope: "col" }, name)),
          ),
        ),
        element("tbody"),
      ),
    (table, { title, wakeUps }) => {
      const { samples, sites } = wakeUps!;
      setText(
        table.querySelector("caption")!,
        `${title}: ${samples} samples` + (sites.length === 0 ? ", and no thread was between a signal and an answer." : ""),
      );
      table.querySelector("thead")!.hidden = sites.length === 0;
      list(
        table.querySelector("tbody")!,
        sites,
        (each) => each.place + " " + each.code,
        (each) => element("tr", {}, element("td", {}, each.place), element("td"), element("td"), element("td")),
        (row, each) => {
          setText(row.children[1], `${each.code} (${each.line})`);
          setText(row.children[2], count(each.running));
          setText(row.children[3], count(each.waiting));
        },
      );
    },
  );
}

// The heat map of held times.

const LEAST_MILLIS = 1;

/** The least value of a bucket, as a share of its greatest one, by which it is known. */
const LEAST_OF_BUCKET = 0.8;
const MOST_MILLIS = 10 * 60 * 1000;
const MARKS = [1, 10, 100, 1000, 10000, 60000, 600000];

function heightOf(heldMillis: number, height: number): number {
  const clamped = Math.min(Math.max(heldMillis, LEAST_MILLIS), MOST_MILLIS);
  return height - (Math.log(clamped / LEAST_MILLIS) / Math.log(MOST_MILLIS / LEAST_MILLIS)) * (height - 4) - 2;
}

function showHeld(sample: Sample): void {
  list(
    byId("held"),
    sample.programs.flatMap(stripsOf).filter((strip) => strip.of.diagnosed),
    (strip) => strip.id,
    (strip) => element("figure", {}, element("figcaption", {}, strip.of.name), element("canvas", { role: "img" })),
    (figure, strip) => draw(figure, strip),
  );
}

function draw(figure: HTMLElement, strip: Strip): void {
  const canvas = figure.querySelector("canvas")!;
  const past = moments.get(strip.id) ?? [];
  const ends = past.reduce((sum, each) => sum + Object.values(each.ends).reduce((one, two) => one + two, 0), 0);
  const limit = strip.of.limitMillis ?? null;
  const text = `${strip.of.name}: ${count(ends)} requests ended` + (limit === null ? "" : `, usual time limit ${millis(limit)}`);
  setText(figure.querySelector("figcaption")!, text);
  canvas.setAttribute("aria-label", text);
  const scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const context = canvas.getContext("2d")!;
  context.scale(scale, scale);
  const style = getComputedStyle(document.body);
  const accent = style.getPropertyValue("--accent");
  const most = Math.max(1, ...past.flatMap((each) => Object.values(each.ends)));
  const column = width / MOST_MOMENTS;
  past.forEach((moment, index) => {
    const x = width - (past.length - index) * column;
    Object.entries(moment.ends).forEach(([bucket, value]) => {
      context.globalAlpha = 0.25 + 0.75 * (Math.log(1 + value) / Math.log(1 + most));
      context.fillStyle = accent;
      const top = heightOf(Number(bucket), height);
      context.fillRect(x, top, Math.ceil(column), heightOf(Number(bucket) * LEAST_OF_BUCKET, height) - top);
    });
    if (moment.limitMillis !== null) {
      context.globalAlpha = 1;
      context.fillStyle = style.getPropertyValue("--warn");
      context.fillRect(x, heightOf(moment.limitMillis, height), Math.ceil(column), 1);
    }
  });
  context.globalAlpha = 1;
  context.fillStyle = style.getPropertyValue("--dim");
  context.font = "11px system-ui, sans-serif";
  MARKS.forEach((mark) => context.fillText(millis(mark), 3, Math.max(10, heightOf(mark, height) - 2)));
}

// The stream.

function remember(sample: Sample): void {
  const seen = new Set<string>();
  sample.programs.flatMap(stripsOf).forEach(({ id, of }) => {
    seen.add(id);
    const past = moments.get(id) ?? [];
    past.push({ pending: of.pending, ends: of.ends ?? {}, limitMillis: of.limitMillis ?? null });
    moments.set(id, past.slice(-MOST_MOMENTS));
  });
  [...moments.keys()].filter((id) => !seen.has(id)).forEach((id) => moments.delete(id));
}

function show(): void {
  if (latest) {
    const own = latest.programs.some(isOwn);
    document.querySelectorAll<HTMLElement>("section.own").forEach((section) => (section.hidden = !own));
    showPurgatories(latest);
    showFindings(latest);
    showKeys(latest);
    showRequests(latest);
    showRegistries(latest);
    showWakeUps(latest);
    showHeld(latest);
    showWheels(latest.programs.flatMap((program) => program.timers ?? []));
  }
}

/** What keeps samples from coming; empty while they come. */
let lost = "";
let silence: number | undefined;

function showStatus(): void {
  const status = byId("status");
  setText(status, lost || (paused ? "Paused" : latest ? "Live, a sample each second" : "Connecting …"));
  status.classList.toggle("lost", lost !== "");
}

function setLost(obstacle: string): void {
  lost = obstacle;
  showStatus();
}

/** Tells the user if no sample comes, although the connection is open. */
function expectSample(): void {
  clearTimeout(silence);
  silence = setTimeout(() => setLost("The program does not answer. Waiting …"), SILENCE_MILLIS);
}

function receive(sample: Sample): void {
  expectSample();
  remember(sample);
  latest = paused ? latest : sample;
  setLost("");
  if (!paused) {
    show();
    void Promise.all([...followed.values()].map(follow)).then(show);
  }
}

/** Receives samples. The browser connects again by itself, except after an answer that is an error, or for newer pages. */
function connect(): void {
  expectSample();
  const events = new EventSource("events");
  events.addEventListener("message", (event: MessageEvent<string>) => receive(JSON.parse(event.data) as Sample));
  events.addEventListener("displaced", () => {
    clearTimeout(silence);
    events.close();
    setLost("Too many pages are open: newer ones get the samples. Reload this page to go on.");
  });
  events.addEventListener("error", () => {
    clearTimeout(silence);
    setLost("The program does not answer. Trying again …");
    if (events.readyState === EventSource.CLOSED) {
      setTimeout(connect, AGAIN_MILLIS);
    }
  });
}

byId("refused").remove();
byId("pause").addEventListener("click", () => {
  paused = !paused;
  byId("pause").setAttribute("aria-pressed", String(paused));
  showStatus();
});
byId("search").addEventListener("input", show);
addEventListener("hashchange", show);
connect();
