/**
 * Gemini may stream the arguments of a call: values by their path, of a call that is named once and
 * then continued.
 */
import { isRecord, type JsonRecord, records, text } from "../wire/json-parts.ts";

/** More members than any tool has, and deeper than any arguments are. */
const indexMax = 10_000;
const stepsMax = 100;

type ArgumentTree = { [name: string]: unknown };

/** A call that is not whole yet. */
interface PartialCall {
  part: JsonRecord;
  args: ArgumentTree;
}

/** Joins the parts of streamed calls of one candidate; calls come one after the other. */
export class GeminiPartialCalls {
  #open: PartialCall | undefined;

  /** The whole calls after this part, in order: none while one continues. */
  push(part: JsonRecord): JsonRecord[] {
    const functionCall = isRecord(part.functionCall) ? part.functionCall : {};
    const { name, partialArgs, willContinue } = functionCall;
    const isContinuation = this.#open !== undefined && text(name) === "";
    const isStreamed = isContinuation || willContinue === true || partialArgs !== undefined;
    const ended = isContinuation ? [] : this.end();
    if (!isStreamed) return text(name) === "" ? ended : [...ended, part];
    this.#open ??= { part, args: Object.create(null) as ArgumentTree };
    for (const partialArg of records(partialArgs)) addArgument(this.#open.args, partialArg);
    return willContinue === true ? ended : [...ended, ...this.end()];
  }

  /** The call that was still open: some streams leave out its end. */
  end(): JsonRecord[] {
    if (!this.#open) return [];
    const { part, args } = this.#open;
    this.#open = undefined;
    const { name, id } = isRecord(part.functionCall) ? part.functionCall : {};
    // Without a name nothing can be called.
    return text(name) === "" ? [] : [{ ...part, functionCall: { id, name, args: { ...args } } }];
  }
}

/** The names and indexes of a path such as `$.items[0].name` or `$['a b']`. */
function listSteps(path: string): (string | number)[] {
  const steps: (string | number)[] = [];
  for (const [, name, index, quoted] of path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]/g))
    steps.push(name ?? quoted ?? Math.min(Number(index), indexMax));
  return steps.slice(0, stepsMax);
}

function addArgument(args: ArgumentTree, { jsonPath, ...value }: JsonRecord): void {
  const steps = listSteps(text(jsonPath));
  let holder: ArgumentTree = args;
  for (const [at, step] of steps.entries()) {
    const isLast = at === steps.length - 1;
    if (isLast) holder[step] = buildArgument(value, holder[step]);
    else {
      const next = steps[at + 1];
      const existing = Object.hasOwn(holder, step) ? holder[step] : undefined;
      if (typeof existing === "object" && existing !== null) holder = existing as ArgumentTree;
      else {
        const created = (typeof next === "number" ? [] : Object.create(null)) as ArgumentTree;
        holder[step] = created;
        holder = created;
      }
    }
  }
}

/** A text arrives in pieces, other values at once. */
function buildArgument(value: JsonRecord, before: unknown): unknown {
  if (typeof value.stringValue === "string") return text(before) + value.stringValue;
  if (typeof value.numberValue === "number") return value.numberValue;
  return typeof value.boolValue === "boolean" ? value.boolValue : null;
}
