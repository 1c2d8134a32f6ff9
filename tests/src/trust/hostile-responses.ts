// The console's gateway, but every text that a user, an upstream or a browser may have chosen is a
// payload: names, words of upstreams, browsers, groups, reasons. What the console works with (ids,
// days, switches, numbers) stays as it is.
import type { Page } from "playwright-core";
import { hostileAddresses, injections } from "./injections.ts";

/** The inserted texts by their place in the responses, such as `/api/token/ name`. */
export type PlacedPayloads = Map<string, string[]>;

const texts = injections.map(({ text }) => text);
const rowsShown = 100;
/** More days than a chart usually has, each with names of its own. */
const daysShown = 40;
const working =
  /(^|_)(uuid|id|state|key)$|^(Day|window|on_reached|outcome|bucket|kind|severity|rules|features|findings|price_per_million|picodollars|total_picodollars|group_ratio|source_date|balance_currency|config|model_mapping|model_configs|tooling|footer_html)$/;
const addresses = /^(logo|top_up_link|chat_link|server_address|.*_url)$/;
const isWorking = (name: string, value: string) =>
  working.test(name) ||
  (name !== "change" && /^(true|false|-?\d+(\.\d+)?|all|\{.*\})$/s.test(value));

/** `turn` moves every payload on: after nine turns each column of a list has had all of them. */
export async function respondWithHostileTexts(
  page: Page,
  turn: () => number,
): Promise<PlacedPayloads> {
  const placed: PlacedPayloads = new Map();
  const places: string[] = [];
  /** A repeated response has the same texts. */
  const textsOf =
    (path: string, answered: PlacedPayloads) =>
    (name: string): string => {
      const place = `${path} ${name}`;
      if (!places.includes(place)) places.push(place);
      const before = answered.get(place) ?? [];
      const from = addresses.test(name) ? hostileAddresses : texts;
      // Columns begin at different payloads, so that one list shows them all.
      const text =
        from[((turn() + places.indexOf(place)) * rowsShown + before.length) % from.length] ?? "";
      answered.set(place, [...before, text]);
      return text;
    };
  await page.route("**/api/**", async (route) => {
    const response = await route.fetch();
    if (!response.headers()["content-type"]?.includes("json")) return route.fulfill({ response });
    const path = new URL(route.request().url()).pathname.replace(/[0-9a-f-]{36}/, ":id");
    const json = await response.json();
    // A plain text is one of the operator's, which are tried as markup.
    const answered: PlacedPayloads = new Map();
    if (typeof json.data !== "string")
      json.data = hostile(many(json.data), textsOf(path, answered));
    for (const [place, put] of answered) placed.set(place, put);
    return route.fulfill({ response, json });
  });
  return placed;
}

function hostile(value: unknown, textFor: (name: string) => string, name = ""): unknown {
  if (typeof value === "string") return isWorking(name, value) ? value : textFor(name);
  if (Array.isArray(value)) return value.map((one) => hostile(one, textFor, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, hostile(many(one), textFor, key)]),
  );
}

/**
 * As many rows as a page or a chart can show, each with ids of its own; other values as they are.
 */
function many(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const [first] = value as unknown[];
  if (
    typeof first !== "object" ||
    first === null ||
    !("id" in first || "uuid" in first || "Day" in first)
  )
    return value;
  return Array.from({ length: "Day" in first ? daysShown : rowsShown }, (_, place) => {
    const row = value[place % value.length] as Record<string, unknown>;
    if (place < value.length || "Day" in row) return row;
    const id = typeof row.id === "number" ? row.id + 1_000_000 * place : `${row.id}${place}`;
    return { ...row, id, uuid: `01a1ffa2-0000-7000-8000-${String(place).padStart(12, "0")}` };
  });
}

/**
 * `unreadable` says which texts cannot be read on the page letter for letter: as text, as the value
 * of a field, or as a name or title. White space does not count: single-line fields drop line ends.
 */
export function unreadable(page: Page, expected: readonly string[]): Promise<string[]> {
  return page.evaluate<string[]>(`((wanted) => {
    const plain = (text) => text.replace(/[\\s\\0]+/g, "");
    const values = [...document.querySelectorAll("input, textarea, select")].map((part) => part.value);
    const titles = [...document.querySelectorAll("[title], [aria-label], [data-tip]")]
      .flatMap((part) => [part.title, part.ariaLabel ?? "", part.dataset?.tip ?? ""]);
    const all = plain([document.title, document.body.textContent, ...values, ...titles].join("  "));
    return wanted.filter((text) => !all.includes(plain(text)));
  })(${JSON.stringify(expected)})`);
}
