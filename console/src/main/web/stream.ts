/** The stream of samples. All pages of a browser share one, in a worker: a browser opens six connections at most. */
import type { Sample } from "./main";

/** A sample, or what keeps samples from coming. */
export interface News {
  sample?: Sample;
  obstacle?: string;
}

const SILENCE_MILLIS = 5000;
const AGAIN_MILLIS = 3000;
const DISPLACED = "Too many pages are open: newer ones get the samples. Reload this page to go on.";

/** Whether newer pages have the place of this stream, until somebody connects again. */
export function isDisplaced(news: News | undefined): boolean {
  return news?.obstacle === DISPLACED;
}

/** Receives samples. The browser connects again by itself, except after an answer that is an error, or for newer pages. */
export function connect(tell: (news: News) => void): void {
  let silence: number | undefined;
  const expectSample = () => {
    clearTimeout(silence);
    silence = setTimeout(() => tell({ obstacle: "The program does not answer. Waiting …" }), SILENCE_MILLIS);
  };
  expectSample();
  const events = new EventSource("events");
  events.addEventListener("message", (event: MessageEvent<string>) => {
    expectSample();
    tell({ sample: JSON.parse(event.data) as Sample });
  });
  events.addEventListener("displaced", () => {
    clearTimeout(silence);
    events.close();
    tell({ obstacle: DISPLACED });
  });
  events.addEventListener("error", () => {
    clearTimeout(silence);
    tell({ obstacle: "The program does not answer. Trying again …" });
    if (events.readyState === EventSource.CLOSED) {
      setTimeout(() => connect(tell), AGAIN_MILLIS);
    }
  });
}

/** Receives samples for a page: from the worker, where the browser has one. */
export function subscribe(tell: (news: News) => void): void {
  if (typeof SharedWorker === "undefined") {
    connect(tell);
    return;
  }
  const { port } = new SharedWorker("worker.js");
  port.onmessage = (message: MessageEvent<News>) => tell(message.data);
  addEventListener("pagehide", () => port.postMessage("leave"));
  addEventListener("pageshow", (event) => event.persisted && location.reload());
}
