import DOMPurify, { type Config } from "dompurify";
import { marked } from "marked";
import { isOtherOrigin } from "./iframe-url.ts";

const allowedTags = [
  ..."a abbr b bdi bdo br cite code del dfn em font i img ins kbd mark q rp rt ruby s samp small span strike strong".split(
    " ",
  ),
  ..."sub sup time tt u var wbr".split(" "),
  ..."article blockquote center dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre section".split(
    " ",
  ),
  ..."summary ul caption col colgroup table tbody td tfoot th thead tr".split(" "),
];
const allowedAttributes = [
  ..."href src alt title width height align valign colspan rowspan scope start reversed value type open".split(
    " ",
  ),
  ..."dir lang datetime rel target loading referrerpolicy".split(" "),
];

/**
 * Allows text, tables, links and images. Removes forms, frames, and everything that could cover or
 * address parts of the console: styles, classes and ids.
 */
const sanitizeOptions: Config = {
  ALLOWED_TAGS: allowedTags,
  ALLOWED_ATTR: allowedAttributes,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  // A path of this origin starts with one slash; two slashes start a host.
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:|\/(?![/\\])|#)/i,
};

const purifier = DOMPurify(window);
purifier.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") hardenLink(node);
  if (node.tagName === "IMG") hardenImage(node);
});

function hardenLink(link: Element) {
  link.removeAttribute("target");
  link.setAttribute("rel", "noopener noreferrer");
  if (isOtherOrigin(link.getAttribute("href") ?? "", location.origin))
    link.setAttribute("target", "_blank");
}

function hardenImage(image: Element) {
  if (!/^https:\/\//i.test(image.getAttribute("src") ?? "")) return image.remove();
  image.setAttribute("loading", "lazy");
  image.setAttribute("referrerpolicy", "no-referrer");
  if (!image.hasAttribute("alt")) image.setAttribute("alt", "");
}

/**
 * Applies to stored HTML as well: write access to the browser's storage must not become script
 * execution.
 */
export const sanitize = (html: string): string => purifier.sanitize(html, sanitizeOptions);

/**
 * Renders markdown or HTML. Sanitizes after rendering, because rendering turns harmless text into
 * markup.
 */
export const renderRichText = (source: string): string =>
  sanitize(marked.parse(source, { async: false, gfm: true }));
