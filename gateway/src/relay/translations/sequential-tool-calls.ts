import { type JsonRecord, text } from "../wire/json-parts.ts";
import { CallNumbers, isNextCall, readCalledTool, readCustomArguments } from "./chat-parts.ts";
import { callSignatureBlock } from "./encrypted-reasoning.ts";

/**
 * The tool calls of one streamed reply of chat completions, one after the other. Their pieces have
 * an index, but some servers give all calls the same one and differ by id, and some begin a call
 * before the previous one is complete.
 */

export interface ToolCallPiece {
  /** `callIndex` is the same for all pieces of one call, and counted from 0. */
  callIndex: number;
  id: string;
  name: string;
  /** The next part of the arguments; may be empty. */
  argumentsText: string;
  /** Google's signature of the call, in its first piece. */
  signature?: JsonRecord | undefined;
}

interface PendingToolCall {
  number: number;
  id: string;
  name: string;
  waiting: string;
  /** The first piece of the arguments. */
  written: string;
  isTold: boolean;
  /** The input of a custom tool is text, which becomes an argument once it is whole. */
  isCustom: boolean;
  signature: JsonRecord | undefined;
  end: JsonObjectEnd;
}

export class SequentialToolCalls {
  /** Calls by their index in chat completions: the one that the next piece belongs to. */
  readonly #calls = new Map<number, PendingToolCall>();
  /** The call that is being sent, and those that wait until it is complete. */
  #queue: PendingToolCall[] = [];
  #count = 0;
  readonly #numbers = new CallNumbers();

  /** The arguments of a call are not whole: another block before their rest would cut them. */
  get isOpen(): boolean {
    return this.#queue.some(({ isCustom, end }) => !isCustom && !end.isReached);
  }

  /** Takes an element of `tool_calls` and returns the pieces that may be sent. */
  push(part: JsonRecord): ToolCallPiece[] {
    const index = this.#numbers.read(part);
    const { name, written, isCustom } = readCalledTool(part);
    const id = text(part.id);
    const current = this.#calls.get(index);
    const isSame = current !== undefined && (id === "" || current.id === "" || id === current.id);
    const isContinued = isSame && !isNextCall(current, { id, name, written });
    const call = isContinued ? current : this.#start(index, id, name, isCustom);
    call.id ||= id;
    call.name ||= name;
    call.signature ??= callSignatureBlock(part);
    call.waiting += written;
    call.written ||= written;
    call.end.push(written);
    return this.#takeDue(false);
  }

  /** Returns all remaining pieces, complete or not: the reply ends, or continues with text. */
  end(): ToolCallPiece[] {
    return this.#takeDue(true);
  }

  #start(index: number, id: string, name: string, isCustom: boolean): PendingToolCall {
    const call: PendingToolCall = {
      number: this.#count,
      id,
      name,
      waiting: "",
      written: "",
      isTold: false,
      isCustom,
      signature: undefined,
      end: new JsonObjectEnd(),
    };
    this.#count += 1;
    this.#calls.set(index, call);
    this.#queue.push(call);
    return call;
  }

  #takeDue(isOver: boolean): ToolCallPiece[] {
    const pieces: ToolCallPiece[] = [];
    for (let [call] = this.#queue; call; [call] = this.#queue) {
      const { number, id, name, isTold, isCustom, end } = call;
      // Clients learn id and name from the first piece alone; some servers tell them after the
      // first arguments.
      if (!isOver && (isCustom || (!isTold && (name === "" || id === "")))) break;
      const waiting = isCustom ? readCustomArguments(call.waiting) : call.waiting;
      const signature = isTold ? undefined : call.signature;
      if (!isTold || waiting !== "")
        pieces.push({ callIndex: number, id, name, argumentsText: waiting, signature });
      call.waiting = "";
      call.isTold = true;
      // No other call waits, or the current one may continue.
      if (!isOver && (this.#queue.length === 1 || !end.isReached)) break;
      this.#queue.shift();
    }
    return pieces;
  }
}

/** Detects the end of a JSON object that arrives in pieces, without keeping them. */
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
