/**
 * Does the proof of work that a server asks for, and says so where it takes a while. Loaded when a
 * server asks for it.
 */
import { t } from "@lingui/core/macro";
import { answerWork } from "./solve-proof-of-work.ts";

/** `wordlessMs` is the time within which work that ends needs no words. */
const wordlessMs = 300;

/** The answer to the task in a refusal; undefined for one that is no task. */
export async function doWork(task: unknown, signal?: AbortSignal): Promise<string | undefined> {
  const place = document.body.appendChild(document.createElement("p"));
  place.role = "status";
  const timer = setTimeout(() => {
    place.className =
      "fixed right-0 bottom-0 z-50 m-4 max-w-sm rounded-lg bg-raised px-4 py-3.5 shadow-float";
    place.textContent = t`Checking that you are human: your browser computes for a few seconds.`;
  }, wordlessMs);
  try {
    return await answerWork(task, signal);
  } finally {
    clearTimeout(timer);
    place.remove();
  }
}
