/**
 * Containers in which a provider runs programs. It bills them by time and memory, which no answer
 * counts: a call is charged 20 minutes of each container that it starts, the time after which an
 * unused one ends. One session is such a time with a gigabyte.
 * https://developers.openai.com/api/docs/pricing,
 * https://developers.openai.com/api/docs/guides/tools-code-interpreter
 */
import type { ExtraUsage } from "../../../money/prices/price.ts";
import { type JsonRecord, record, text } from "../../wire/json-parts.ts";
import { readDeclaredTools } from "../declared-tools.ts";

/** The largest container of any provider: what a size counts as that the gateway cannot read. */
const largestGigabytes = 64;
const gigabytesMax = 1_024;

/** `computeGigabytes` is for a container that is made by itself, too. */
export function computeGigabytes({ memory_limit }: JsonRecord): number {
  if (memory_limit === undefined || memory_limit === null) return 1;
  const [, size] = /^\s*(\d{1,6})\s*gi?b?\s*$/i.exec(text(memory_limit)) ?? [];
  return size === undefined ? largestGigabytes : Math.min(Math.max(Number(size), 1), gigabytesMax);
}

/**
 * Gigabytes of the containers that a tool makes the provider start; one that the client names runs
 * already.
 */
function computeGigabytesStarted({ type, container, environment }: JsonRecord): number {
  if (type === "code_interpreter")
    return typeof container === "string" ? 0 : computeGigabytes(record(container));
  if (type !== "shell") return 0;
  const { type: kind } = record(environment);
  return kind === "local" || kind === "container_reference"
    ? 0
    : computeGigabytes(record(environment));
}

const parseSizesAsked = (json: JsonRecord): number[] =>
  readDeclaredTools(json)
    .map(computeGigabytesStarted)
    .filter((size) => size > 0);

/**
 * Gigabytes of the containers that a request starts, the largest first: which of them an answer
 * names is not known.
 */
export const parseContainerSizes = (json: JsonRecord): number[] =>
  parseSizesAsked(json).sort((a, b) => b - a);

const sumSizes = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

/** `buildSessionsAsked` gives what a request holds for: each of its tools starts one container. */
export function buildSessionsAsked(json: JsonRecord): { extras?: ExtraUsage } {
  const container_sessions = sumSizes(parseSizesAsked(json));
  return container_sessions > 0 ? { extras: { container_sessions } } : {};
}

/**
 * `asksForLargeContainer` says whether a request asks for a container above the gigabyte that
 * `buildSessionsAsked` counts for one of the usual size.
 */
export const asksForLargeContainer = (json: JsonRecord): boolean =>
  parseSizesAsked(json).some((size) => size > 1);

/** A program's and a shell's. */
const unaskedMax = 2;

/**
 * `computeSessionsCharged` gives what a call is charged that started so many containers: the
 * largest that it asked for, or a gigabyte each where the operator asked.
 */
export function computeSessionsCharged(started: number, json: JsonRecord): number {
  const sizes = parseContainerSizes(json);
  return sizes.length === 0 ? Math.min(started, unaskedMax) : sumSizes(sizes.slice(0, started));
}

/** The time after which an unused container ends: what each session pays for. */
export const sessionMs = 20 * 60_000;

/**
 * Sessions to pay for a container that is used again, so that it is paid for 20 minutes from now;
 * it was paid for that long from `paidFrom` on.
 */
export const computeSessionsDue = (paidFrom: number, now: number): number =>
  now - paidFrom <= sessionMs ? 0 : Math.ceil((now - paidFrom) / sessionMs);

/**
 * The container in which an item of an answer ran; undefined for other items, and where the item
 * does not say.
 */
export function findContainer({ container_id, environment }: JsonRecord): string | undefined {
  const id = container_id ?? record(environment).container_id;
  return typeof id === "string" && id !== "" ? id : undefined;
}

/**
 * `ranInContainer` says whether an item of an answer is a program that ran in a container of the
 * provider.
 */
export const ranInContainer = ({ type, environment }: JsonRecord): boolean =>
  type === "code_interpreter_call" ||
  (type === "shell_call" && record(environment).type !== "local");

/** The containers that items of an answer name, each once. */
export const collectContainers = (items: readonly JsonRecord[]): ReadonlySet<string> =>
  new Set(items.filter(ranInContainer).flatMap((item) => findContainer(item) ?? []));
