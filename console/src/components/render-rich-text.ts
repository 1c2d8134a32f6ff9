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
  ..."href src alt title width height align valign colspan rowspan scope start reversed value type open".split(" "),
  ..."dir lang datetime rel target loading referrerpolicy".split(" "),
];

/**
 * What remains of the operator's markup: text, tables, links, pictures. No forms and no frames, and nothing that could
 * lie over the console itself or name its parts: styles, classes and ids.
 */
const sanitizeOptions: Config = {
  ALLOWED_TAGS: allowedTags,
  ALLOWED_ATTR: allowedAttributes,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  // Addresses of our own begin with one slash; two lead elsewhere.
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
  if (isOtherOrigin(link.getAttribute("href") ?? "", location.origin)) link.setAttribute("target", "_blank");
}

function hardenImage(image: Element) {
  if (!/^https:\/\//i.test(image.getAttribute("src") ?? "")) return image.remove();
  image.setAttribute("loading", "lazy");
  image.setAttribute("referrerpolicy", "no-referrer");
  if (!image.hasAttribute("alt")) image.setAttribute("alt", "");
}

/** Also for what was kept from before: whoever can write to the browser's storage must not be able to run anything. */
export const sanitize = (html: string): string => purifier.sanitize(html, sanitizeOptions);

/** Markdown or HTML; sanitised after rendering, because rendering is where harmless text becomes markup. */
export const renderRichText = (source: string): string => sanitize(marked.parse(source, { async: false, gfm: true }));
