/**
 * A Vite plugin that writes the first requests of the lists into the script in the page's head
 * (`index.html`).
 */
import type { Plugin } from "vite";
import { firstRequests } from "./src/early-replies.ts";

export function firstRequestsInHead(): Plugin {
  return {
    name: "first-requests-in-head",
    transformIndexHtml: (html) => html.replace("__FIRST_REQUESTS__", JSON.stringify(firstRequests)),
  };
}
