import { type JsonRecord, record, text } from "../wire/json-parts.ts";
/**
 * The tool calls of one streamed answer of chat completions, one after the other. Over there they have numbers, but some
 * servers give all of them the same and tell them apart by their ids, and some begin a call before the last is complete.
 */

export interface ToolCallPiece {
  /** The same for all pieces of one call, and counted from 0. */
  callIndex: number;
  id: string;
  name: string;
  /** What is said of its arguments; may be empty. */
  argumentsText: string;
}

interface PendingToolCall {
  number: number;
  id: string;
  name: string;
  waiting: string;
  isTold: boolean;
  end: JsonObjectEnd;
}

export class SequentialToolCalls {
  /** By their number over there: the one that its next piece belongs to. */
  readonly #calls = new Map<number, PendingToolCall>();
  /** The one that is told, and those that wait until it is complete. */
  #queue: PendingToolCall[] = [];
  #count = 0;

  /** Takes a member of `tool_calls` and answers what may be told by now. */
  push(part: JsonRecord): ToolCallPiece[] {
    const index = Number(part.index ?? 0);
    const { name, arguments: written } = record(part.function);
    const id = text(part.id);
    const current = this.#calls.get(index);
    const isContinued = current !== undefined && (id === "" || current.id === "" || id === current.id);
    const call = isContinued ? current : this.#start(index, id, text(name));
    call.id ||= id;
    call.name ||= text(name);
    call.waiting += text(written);
    return this.#takeDue(false);
  }

  /** All that is left, complete or not: the answer is over, or goes on with words. */
  end(): ToolCallPiece[] {
    return this.#takeDue(true);
  }

  #start(index: number, id: string, name: string): PendingToolCall {
    const call = { number: this.#count, id, name, waiting: "", isTold: false, end: new JsonObjectEnd() };
    this.#count += 1;
    this.#calls.set(index, call);
    this.#queue.push(call);
    return call;
  }

  #takeDue(isOver: boolean): ToolCallPiece[] {
    const pieces: ToolCallPiece[] = [];
    for (let [call] = this.#queue; call; [call] = this.#queue) {
      const { number, id, name, isTold, waiting, end } = call;
      if (!isTold || waiting !== "") pieces.push({ callIndex: number, id, name, argumentsText: waiting });
      end.push(waiting);
      call.waiting = "";
      call.isTold = true;
      // Nobody waits, or what is told may still go on.
      if (!isOver && (this.#queue.length === 1 || !end.isReached)) break;
      this.#queue.shift();
    }
    return pieces;
  }
}

/** Sees where a JSON object ends that comes in pieces, without keeping them. */
class JsonObjectEnd {
  #depth = 0;
  #hasBegun = false;
  #isInText = false;
  #isEscaped = false;

  get isReached(): boolean {
    return this.#hasBegun && this.#depth === 0;
  }

  push(json: string): void {
    for (const letter of json) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isInText) {
        if (letter === "\\") this.#isEscaped = true;
        else if (letter === '"') this.#isInText = false;
      } else if (letter === '"') this.#isInText = true;
      else if (letter === "{" || letter === "[") {
        this.#hasBegun = true;
        this.#depth += 1;
      } else if (letter === "}" || letter === "]") this.#depth -= 1;
    }
  }
}
