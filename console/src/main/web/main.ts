import "./player";
import { subscribe, type News } from "./stream";
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
  purgatory: string | null;
  key: string | null;
  title: string;
  evidence: string;
  hint: string;
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

export interface Sample {
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
const CURVE = "pending over time";
const MOST_MOMENTS = 120;
const MOST_UNHEARD = 5;
const MOST_FOLLOWED = 20;

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

function counted(number: number, thing: string): string {
  return `${count(number)} ${thing}${number === 1 ? "" : "s"}`;
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
  const [large, small, units] = seconds < 3600 ? [seconds / 60, seconds % 60, ["min", "s"]] : [seconds / 3600, (seconds / 60) % 60, ["h", "min"]];
  return `${count(Math.floor(large))} ${units[0]}` + (Math.floor(small) === 0 ? "" : ` ${Math.floor(small)} ${units[1]}`);
}

/** A table without rows, of which a phone shows each row as a card. A column may be a name, or an id with its head. */
function listTable(columns: (string | [string, HTMLElement])[], caption = ""): HTMLElement {
  const heads = columns.map((column) =>
    typeof column === "string" ? element("th", { scope: "col" }, column) : element("th", { scope: "col", "data-column": column[0] }, column[1]),
  );
  return element(
    "table",
    { class: "cards" },
    ...(caption === "" ? [] : [element("caption", {}, caption)]),
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody"),
  );
}

// One strip per purgatory.

interface Strip {
  id: string;
  of: Purgatory;
  findings: Finding[];
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
  return program.purgatories.map((of) => ({
    id: program.title + "/" + of.name,
    of,
    findings: (program.findings ?? []).filter((each) => each.purgatory === of.name),
  }));
}

function showPurgatories(sample: Sample): void {
  list(
    byId("purgatories"),
    sample.programs,
    (program) => program.title,
    (program) =>
      listTable(["purgatory", ...COLUMNS.map(([name]) => name), CURVE], program.title),
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
  svg.setAttribute("viewBox", "0 0 100 20");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  svg.append(document.createElementNS("http://www.w3.org/2000/svg", "polyline"));
  const name = element("th", { scope: "row" }, strip.of.name, element("a", { class: "mark", href: "#findings" }));
  const scale = element("span", { class: "scale" }, element("span", { class: "most" }), element("span", {}, "0"));
  return element(
    "tr",
    {},
    name,
    ...COLUMNS.map(([label]) => element("td", { "data-label": label })),
    element("td", { "data-label": CURVE }, element("div", { class: "curve" }, scale, svg, element("span", { class: "span" }))),
  );
}

function updateStrip(row: HTMLElement, strip: Strip): void {
  COLUMNS.forEach(([, text], index) => setText(row.children[index + 1], text(strip.of)));
  row.classList.toggle("found", strip.findings.length > 0);
  setText(row.querySelector(".mark")!, strip.findings.length === 0 ? "" : counted(strip.findings.length, "finding"));
  const pending = (moments.get(strip.id) ?? []).map((each) => each.pending);
  const most = Math.max(1, ...pending);
  const step = 100 / Math.max(1, pending.length - 1);
  const points = pending.map((value, index) => `${index * step},${19 - (value / most) * 18}`);
  row.querySelector("polyline")!.setAttribute("points", points.join(" "));
  setText(row.querySelector(".most")!, count(most));
  setText(row.querySelector(".span")!, `last ${seconds(pending.length)}`);
}

/** The time of so many samples. */
function seconds(samples: number): string {
  return millis(samples * 1000).replace(".0", "");
}

// Findings.

/** Whether this is the program that serves the page; of others, there are only numbers. */
function isOwn(program: Program): boolean {
  return program.wakeUps !== undefined;
}

function findingsOf(sample: Sample): Finding[] {
  return sample.programs.flatMap((program) => program.findings ?? []);
}

/** A dot of a color, in the page itself: a server that does not answer serves no icon. */
function icon(color: string): string {
  return "data:image/svg+xml," + encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="' + color + '"/></svg>');
}

const ICONS = { unknown: icon("#8c959f"), findings: icon("#c4500c"), healthy: icon("#1a7f37") };

/** Says in the head of the page, in the title of its tab and in its icon how things are. */
function showVerdict(): void {
  const found = latest ? findingsOf(latest).length : 0;
  const known = lost === "" && latest !== undefined && latest.programs.some(isOwn);
  const state = !known ? "unknown" : found > 0 ? "findings" : "healthy";
  const text = lost !== "" ? "No answer" : !known ? "" : found > 0 ? counted(found, "finding") : "Healthy";
  const verdict = byId("verdict");
  setText(verdict, text);
  verdict.className = state;
  document.title = (text === "" ? "" : text + " – ") + "Purgatory";
  byId<HTMLLinkElement & HTMLElement>("icon").setAttribute("href", ICONS[state]);
}

function showFindings(sample: Sample): void {
  const found = findingsOf(sample);
  const blind = sample.programs.flatMap((program) => program.purgatories).filter((of) => of.diagnosed === false);
  const others = sample.programs.filter((program) => !isOwn(program)).map((program) => program.title);
  const notes: string[] = [];
  if (others.length < sample.programs.length && found.length === 0) {
    notes.push("Nothing is wrong, as far as this page can see." + (blind.length > 0 ? " Without diagnostics: " + blind.map((of) => of.name).join(", ") + "." : ""));
  }
  if (others.length > 0) {
    notes.push(`Not looked at: ${others.join(", ")}. Of another program, only numbers are known.`);
  }
  list<string | Finding>(
    byId("findings"),
    [...found, ...notes],
    (each) => (typeof each === "string" ? each : `${each.purgatory}/${each.kind}/${each.title}`),
    (each) =>
      typeof each === "string"
        ? element("p", { class: "note" }, each)
        : element(
            "article",
            { class: "finding", "data-kind": each.kind },
            element("h3", {}, (each.purgatory === null ? "" : each.purgatory + ": ") + each.title),
            element("p", { class: "evidence" }),
            element(
              "p",
              {},
              element("span", { class: "hint" }),
              " ",
              element("a", { href: DOCS + each.page, target: "_blank", rel: "noopener noreferrer" }, "More"),
            ),
          ),
    (shown, each) => {
      if (typeof each !== "string") {
        setText(shown.querySelector(".evidence")!, each.evidence);
        setText(shown.querySelector(".hint")!, each.hint);
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
      listTable(
        [
          "key",
          ...sorts.map(([column, name]): [string, HTMLElement] => {
            const button = element("button", { type: "button" }, name);
            button.addEventListener("click", () => {
              sortBy = column;
              show();
            });
            return [column, button];
          }),
        ],
        strip.of.name,
      ),
    (table, strip) => {
      const keys = (strip.of.keys ?? [])
        .filter((each) => each.key.toLowerCase().includes(wanted))
        .sort((one, two) => (two[sortBy] ?? -1) - (one[sortBy] ?? -1));
      setText(
        table.querySelector("caption")!,
        `${strip.of.name}: ${counted(strip.of.keyCount ?? 0, "key")}` +
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
        (each) => element("tr", {}, element("th", { scope: "row" }, each.key), ...sorts.map(([, name]) => element("td", { "data-label": name }))),
        (row, each) => {
          row.classList.toggle("found", strip.findings.some((finding) => finding.key === each.key));
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
    texts.splice(1, 0, `… ${counted(story.leftOut, "earlier check")} …`);
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
    () => listTable(columns),
    (table) =>
      list(
        table.querySelector("tbody")!,
        rows,
        (row) => row[0],
        (row) => element("tr", {}, element("th", { scope: "row" }, row[0]), ...row.slice(1).map((_, index) => element("td", { "data-label": columns[index + 1] }))),
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

const WAKE_UPS = ["in", "at", "threads that ran", "threads that waited"];

function showWakeUps(sample: Sample): void {
  list(
    byId("wakeups"),
    sample.programs.filter((program) => program.wakeUps),
    (program) => program.title,
    () => listTable(WAKE_UPS, "samples"),
    (table, { title, wakeUps }) => {
      const { samples, sites } = wakeUps!;
      setText(
        table.querySelector("caption")!,
        `${title}: ${counted(samples, "sample")}` + (sites.length === 0 ? ", and no thread was between a signal and an answer." : ""),
      );
      table.querySelector("thead")!.hidden = sites.length === 0;
      list(
        table.querySelector("tbody")!,
        sites,
        (each) => each.place + " " + each.code,
        (each) => element("tr", {}, element("th", { scope: "row" }, each.place), ...WAKE_UPS.slice(1).map((name) => element("td", { "data-label": name }))),
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

/** The least value of a bucket, as a share of its greatest one, by which it is known. */
const LEAST_OF_BUCKET = 0.8;
const MARKS = [1, 10, 100, 1000, 10_000, 60_000, 600_000, 3_600_000];
const GUTTER = 58;
const FOOT = 18;

function showHeld(sample: Sample): void {
  list(
    byId("held"),
    sample.programs.flatMap(stripsOf).filter((strip) => strip.of.diagnosed),
    (strip) => strip.id,
    (strip) => element("figure", {}, element("figcaption", {}, strip.of.name), element("canvas", { role: "img" })),
    (figure, strip) => draw(figure, strip),
  );
}

/** The time limit that most samples have; null if they have none. */
function usualLimit(past: Moment[]): number | null {
  const counts = new Map<number | null, number>();
  past.forEach((each) => counts.set(each.limitMillis, (counts.get(each.limitMillis) ?? 0) + 1));
  return [...counts].sort((one, two) => two[1] - one[1])[0]?.[0] ?? null;
}

function draw(figure: HTMLElement, strip: Strip): void {
  const canvas = figure.querySelector("canvas")!;
  const past = moments.get(strip.id) ?? [];
  const ends = past.reduce((sum, each) => sum + Object.values(each.ends).reduce((one, two) => one + two, 0), 0);
  const limit = usualLimit(past);
  const text = `${strip.of.name}: ${counted(ends, "request")} ended` + (limit === null ? "" : `, usual time limit ${millis(limit)}`);
  setText(figure.querySelector("figcaption")!, text);
  canvas.setAttribute("aria-label", text);
  canvas.hidden = ends === 0;
  if (ends === 0) {
    return;
  }
  const scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const context = canvas.getContext("2d")!;
  context.scale(scale, scale);
  const style = getComputedStyle(document.body);
  const [accent, warn, dim, line] = ["--accent", "--warn", "--dim", "--line"].map((name) => style.getPropertyValue(name));
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";

  // The scale spans what is shown, from mark to mark.
  const shown = past.flatMap((each) => Object.keys(each.ends).map(Number)).concat(limit ?? []);
  const top = MARKS.find((mark) => mark > Math.max(...shown)) ?? Math.max(...shown);
  const least = Math.min(...shown) * LEAST_OF_BUCKET;
  const bottom = MARKS.filter((mark) => mark <= least && mark < top).pop() ?? 1;
  const y = (heldMillis: number) => {
    const share = Math.log(Math.max(heldMillis, bottom) / bottom) / Math.log(top / bottom);
    return (height - FOOT) * (1 - share);
  };
  MARKS.filter((mark) => mark >= bottom && mark <= top).forEach((mark) => {
    context.fillStyle = line;
    context.fillRect(GUTTER, y(mark), width, 1);
    context.fillStyle = dim;
    context.fillText(millis(mark).replace(".0", ""), 4, Math.min(Math.max(8, y(mark)), height - FOOT - 2));
  });

  const most = Math.max(1, ...past.flatMap((each) => Object.values(each.ends)));
  const column = (width - GUTTER) / past.length;
  past.forEach((moment, index) => {
    const x = GUTTER + index * column;
    Object.entries(moment.ends).forEach(([bucket, value]) => {
      context.globalAlpha = 0.25 + 0.75 * (Math.log(1 + value) / Math.log(1 + most));
      context.fillStyle = accent;
      const from = y(Number(bucket));
      context.fillRect(x, from, Math.ceil(column), Math.max(2, y(Number(bucket) * LEAST_OF_BUCKET) - from));
    });
  });
  context.globalAlpha = 1;
  if (limit !== null) {
    context.fillStyle = warn;
    context.fillRect(GUTTER, y(limit), width, 2);
    context.fillText(`limit ${millis(limit)}`, GUTTER + 4, Math.max(8, y(limit) - 9));
  }
  context.fillStyle = dim;
  context.fillText(`${seconds(past.length)} ago`, GUTTER, height - 7);
  context.textAlign = "right";
  context.fillText("now", width - 4, height - 7);
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

function showStatus(): void {
  const status = byId("status");
  setText(status, lost || (paused ? "Paused" : latest ? "Live, a sample each second" : "Connecting …"));
  status.classList.toggle("lost", lost !== "");
  showVerdict();
}

function receive({ sample, obstacle }: News): void {
  lost = obstacle ?? "";
  if (sample) {
    remember(sample);
    latest = paused ? latest : sample;
  }
  showStatus();
  if (sample && !paused) {
    show();
    void Promise.all([...followed.values()].map(follow)).then(show);
  }
}

byId("refused").remove();
byId("pause").addEventListener("click", () => {
  paused = !paused;
  setText(byId("pause"), paused ? "Resume" : "Pause");
  showStatus();
});
byId("search").addEventListener("input", show);
addEventListener("hashchange", show);
subscribe(receive);
