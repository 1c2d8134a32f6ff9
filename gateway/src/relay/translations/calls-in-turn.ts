/**
 * The tool calls of one streamed answer of chat completions, one after the other. Over there they have numbers, but some
 * servers give all of them the same and tell them apart by their ids, and some begin a call before the last is complete.
 */
import type { Json } from "../json-parts.ts";
import { record, text } from "../json-parts.ts";

export interface CallPiece {
  /** The same for all pieces of one call, and counted from 0. */
  call: number;
  id: string;
  name: string;
  /** What is said of its arguments; may be empty. */
  written: string;
}

interface Call {
  number: number;
  id: string;
  name: string;
  waiting: string;
  isTold: boolean;
  end: ObjectEnd;
}

export class CallsInTurn {
  /** By their number over there: the one that its next piece belongs to. */
  readonly #calls = new Map<number, Call>();
  /** The one that is told, and those that wait until it is complete. */
  #queue: Call[] = [];
  #count = 0;

  /** Takes a member of `tool_calls` and answers what may be told by now. */
  push(part: Json): CallPiece[] {
    const index = Number(part.index ?? 0);
    const { name, arguments: written } = record(part.function);
    const id = text(part.id);
    const known = this.#calls.get(index);
    const isSame = known !== undefined && (id === "" || known.id === "" || id === known.id);
    const call = isSame ? known : this.#begun(index, id, text(name));
    call.id ||= id;
    call.name ||= text(name);
    call.waiting += text(written);
    return this.#due(false);
  }

  /** All that is left, complete or not: the answer is over, or goes on with words. */
  end(): CallPiece[] {
    return this.#due(true);
  }

  #begun(index: number, id: string, name: string): Call {
    const call = { number: this.#count, id, name, waiting: "", isTold: false, end: new ObjectEnd() };
    this.#count += 1;
    this.#calls.set(index, call);
    this.#queue.push(call);
    return call;
  }

  #due(isOver: boolean): CallPiece[] {
    const pieces: CallPiece[] = [];
    for (let [call] = this.#queue; call; [call] = this.#queue) {
      const { number, id, name, isTold, waiting, end } = call;
      if (!isTold || waiting !== "") pieces.push({ call: number, id, name, written: waiting });
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
class ObjectEnd {
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
