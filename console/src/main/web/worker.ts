/** Passes on one stream of samples to all pages of a browser. */
import { connect, isDisplaced, type News } from "./stream";

const pages = new Set<MessagePort>();
let latest: News | undefined;

function tell(news: News): void {
  latest = news;
  pages.forEach((page) => page.postMessage(news));
}

addEventListener("connect", (event) => {
  const [page] = (event as MessageEvent).ports;
  pages.add(page);
  page.onmessage = () => pages.delete(page);
  if (isDisplaced(latest)) {
    latest = undefined;
    connect(tell);
  } else if (latest) {
    page.postMessage(latest);
  }
});

connect(tell);
