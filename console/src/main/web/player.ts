/** Plays the scenario that the program ran in virtual time: see Scenario.java. */
import { element, isShown, levelTable, rings, span, table, type Level, type Wheels } from "./wheels";

interface Task {
  name: string;
  dueMillis: number;
  state: "waits" | "expired" | "stopped";
  atMillis?: number;
}

interface Step extends Wheels {
  title: string;
  text: string;
  tasks: Task[];
}

const PLAY_MILLIS = 3000;

let steps: Step[] = [];
let current = 0;
let playing: number | undefined;

const text = document.getElementById("player-text")!;
const state = document.getElementById("player-state")!;
const back = document.getElementById("player-back") as HTMLButtonElement;
const play = document.getElementById("player-play") as HTMLButtonElement;
const forward = document.getElementById("player-forward") as HTMLButtonElement;
const slider = document.getElementById("player-step") as HTMLInputElement;

function place(step: Step, task: Task): string {
  for (const level of step.levels) {
    const bucket = level.buckets.find((each) => each.tasks.includes(task.name));
    if (bucket) {
      return level.level === 0 ? "due" : `level ${level.level}, bucket ${span(level, bucket)}`;
    }
  }
  return `${task.state} at ${task.atMillis} ms`;
}

/** All levels that were in use up to this step, so that each keeps its ring. */
function levelsSoFar(): Level[] {
  const step = steps[current];
  const levels: Level[] = [];
  steps.slice(0, current + 1).forEach((each) => each.levels.forEach((level) => (levels[level.level] = level)));
  return levels.filter(Boolean).map(
    (known) =>
      step.levels.find((each) => each.level === known.level) ?? {
        ...known,
        nowArc: Math.floor(step.nowMillis / known.bucketMillis) % known.arcs,
        pending: 0,
        ended: 0,
        buckets: [],
      },
  );
}

function show(): void {
  const step = steps[current];
  const title = `Step ${current + 1} of ${steps.length}: ${step.title}`;
  text.replaceChildren(element("h3", {}, title), element("p", {}, step.text));
  const rows = step.tasks.map((task) => [task.name, `${task.dueMillis} ms`, place(step, task)]);
  const beside = element("div", {}, levelTable(step));
  if (rows.length > 0) {
    const tasks = table("Tasks", ["task", "due at", "where"], rows);
    tasks.id = "player-tasks";
    beside.prepend(tasks);
  }
  state.replaceChildren(rings({ ...step, levels: levelsSoFar() }, "Wheels after this step"), beside);
  slider.value = String(current + 1);
  slider.setAttribute("aria-valuetext", title);
  back.setAttribute("aria-disabled", String(current === 0)); // keeps the focus, as "disabled" would not
  forward.setAttribute("aria-disabled", String(current === steps.length - 1));
}

function go(to: number): void {
  if (steps.length > 0) {
    current = Math.min(Math.max(to, 0), steps.length - 1);
    show();
    if (current === steps.length - 1) {
      stop();
    }
  }
}

function stop(): void {
  clearInterval(playing);
  playing = undefined;
  play.textContent = "Play";
  play.setAttribute("aria-pressed", "false");
}

function toggle(): void {
  if (playing !== undefined) {
    stop();
  } else if (steps.length > 0) {
    playing = setInterval(() => go(current + 1), PLAY_MILLIS);
    play.textContent = "Stop";
    play.setAttribute("aria-pressed", "true");
    go(current === steps.length - 1 ? 0 : current + 1);
  }
}

function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  const hasSpace = target.matches("input, button"); // the browser's own space bar
  if (!isShown() || event.altKey || event.ctrlKey || event.metaKey || target === slider) {
    return;
  }
  if (event.key === "ArrowLeft") {
    go(current - 1);
  } else if (event.key === "ArrowRight") {
    go(current + 1);
  } else if (event.key === " " && !hasSpace) {
    toggle();
  } else {
    return;
  }
  event.preventDefault();
}

/** Loads the scenario when the view is opened for the first time. */
async function load(): Promise<void> {
  if (!isShown()) {
    stop();
    return;
  }
  if (steps.length > 0) {
    return;
  }
  try {
    const answer = await fetch("scenario");
    if (!answer.ok) {
      throw new Error(`status ${answer.status}`);
    }
    steps = ((await answer.json()) as { steps: Step[] }).steps;
    slider.max = String(steps.length);
    go(0);
  } catch (error) {
    text.replaceChildren(element("p", {}, `The program does not answer: ${error}. Open this view again to try once more.`));
  }
}

back.addEventListener("click", () => go(current - 1));
forward.addEventListener("click", () => go(current + 1));
play.addEventListener("click", toggle);
slider.addEventListener("input", () => go(Number(slider.value) - 1));
addEventListener("keydown", onKey);
addEventListener("hashchange", () => void load());
void load();
