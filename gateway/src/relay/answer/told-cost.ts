/**
 * The cost of a call in the usage of its answer, for clients of chat completions that ask for it
 * (formats/chat-completions.ts).
 */
import { computeDollars } from "../../money/quota-text.ts";
import { buildEventJson } from "../wire/event-text.ts";
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";

/** An answer with its cost in US dollars; one without usage stays as it is. */
export const withCost = (answer: JsonRecord, units: number): JsonRecord =>
  isRecord(answer.usage)
    ? { ...answer, usage: { ...answer.usage, cost: computeDollars(units) } }
    : answer;

const betweenEvents = /(?<=\n\n)/;

/** Events as the client receives them; those with a usage get the cost. */
export const tellCost = (events: string, computeUnits: () => number): string =>
  events.includes('"usage"')
    ? events
        .split(betweenEvents)
        .map((event) =>
          isRecord(buildEventJson(event).usage) ? addCost(event, computeUnits()) : event,
        )
        .join("")
    : events;

const addCost = (event: string, units: number): string =>
  `data: ${JSON.stringify(withCost(buildEventJson(event), units))}\n\n`;
