/** Ends of models, as a provider's list of models states them. Pure. */
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";

/** `ends_on` is empty where it is said that the model does not end, or has no day yet. */
export interface StatedEnd {
  ends_on: string;
  replacement: string;
}

export type StatedEnds = ReadonlyMap<string, StatedEnd>;

const modelsMax = 2_000;
const replacementMax = 200;

/**
 * `parseStatedEnds` goes by the provider's names. OpenAI states `shutdown_date`, OpenRouter
 * `expiration_date`, Mistral `deprecation` with a replacement, Azure the second after which nothing
 * is inferred. A list without such a member says nothing of a model.
 */
export function parseStatedEnds(entries: readonly unknown[]): StatedEnds {
  const found = entries.filter(isJsonRecord).flatMap((entry): [string, StatedEnd][] => {
    const { id, deprecation_replacement_model: replacement } = entry;
    const ends_on = formatDay(entry);
    if (typeof id !== "string" || ends_on === undefined) return [];
    return [
      [
        id,
        {
          ends_on,
          replacement: typeof replacement === "string" ? replacement.slice(0, replacementMax) : "",
        },
      ],
    ];
  });
  return new Map(found.slice(0, modelsMax));
}

function formatDay({
  shutdown_date,
  expiration_date,
  deprecation,
}: Record<string, unknown>): string | undefined {
  for (const stated of [shutdown_date, expiration_date, deprecation]) {
    if (stated === null) return "";
    if (typeof stated === "string") return parseDayOfMoment(stated);
    if (isJsonRecord(stated) && typeof stated.inference === "number") {
      return parseDayOfMoment(
        new Date(Math.min(stated.inference, lastSecond) * 1_000).toISOString(),
      );
    }
  }
  return undefined;
}

/** The last one of the year 9999. */
const lastSecond = 253_402_300_799;
const dayAtStart = /^20\d\d-\d\d-\d\d(?=$|T)/;

function parseDayOfMoment(moment: string): string | undefined {
  const [day] = dayAtStart.exec(moment) ?? [];
  return day === undefined || Number.isNaN(Date.parse(day)) ? undefined : day;
}

/** `endsText` writes them as a row holds them. */
export const endsText = (ends: StatedEnds): string =>
  JSON.stringify(
    Object.fromEntries(
      [...ends].map(([model, { ends_on, replacement }]) => [model, [ends_on, replacement]]),
    ),
  );

/** Written by this program alone. */
export const endsInText = (text: string): StatedEnds =>
  new Map(
    Object.entries(JSON.parse(text) as Record<string, [string, string]>).map(
      ([model, [ends_on, replacement]]) => [model, { ends_on, replacement }],
    ),
  );
