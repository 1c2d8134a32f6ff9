import type { JsonRecord } from "../wire/json-parts.ts";
import { readCustomArguments } from "./chat-parts.ts";
import { JsonValueEnd } from "./json-value-end.ts";
import { type CallPiece, StreamedCalls } from "./streamed-calls.ts";

/**
 * The tool calls of one streamed reply of chat completions, one after the other: some servers begin
 * a call before the previous one is complete.
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
  begun: CallPiece;
  waiting: string;
  isTold: boolean;
  end: JsonValueEnd;
}

export class SequentialToolCalls {
  readonly #streamed = new StreamedCalls();
  readonly #calls = new Map<number, PendingToolCall>();
  /** The call that is being sent, and those that wait until it is complete. */
  #queue: PendingToolCall[] = [];

  get hasNameless(): boolean {
    return this.#streamed.hasNameless;
  }

  /** The arguments of a call are not whole: another block before their rest would cut them. */
  get isOpen(): boolean {
    return (
      this.#streamed.isOpen ||
      this.#queue.some(({ begun, end }) => !begun.isCustom && !end.isReached)
    );
  }

  /** Takes an element of `tool_calls` and returns the pieces that may be sent. */
  push(part: JsonRecord): ToolCallPiece[] {
    this.#add(this.#streamed.push(part));
    return this.#takeDue(false);
  }

  /** Returns all remaining pieces, complete or not: the reply ends, or continues with text. */
  end(): ToolCallPiece[] {
    this.#add(this.#streamed.end());
    return this.#takeDue(true);
  }

  #add(pieces: readonly CallPiece[]): void {
    for (const piece of pieces) {
      const call = this.#calls.get(piece.call) ?? this.#start(piece);
      call.waiting += piece.written;
      call.end.push(piece.written);
    }
  }

  #start(begun: CallPiece): PendingToolCall {
    const call = { begun, waiting: "", isTold: false, end: new JsonValueEnd() };
    this.#calls.set(begun.call, call);
    this.#queue.push(call);
    return call;
  }

  #takeDue(isOver: boolean): ToolCallPiece[] {
    const pieces: ToolCallPiece[] = [];
    for (let [call] = this.#queue; call; [call] = this.#queue) {
      const { begun, isTold, end } = call;
      // The input of a custom tool is text, which becomes an argument once it is whole.
      if (!isOver && begun.isCustom) break;
      const waiting = begun.isCustom ? readCustomArguments(call.waiting) : call.waiting;
      const { call: callIndex, id, name } = begun;
      const signature = isTold ? undefined : begun.signature;
      if (!isTold || waiting !== "")
        pieces.push({ callIndex, id, name, argumentsText: waiting, signature });
      call.waiting = "";
      call.isTold = true;
      // No other call waits, or the current one may continue.
      if (!isOver && (this.#queue.length === 1 || !end.isReached)) break;
      this.#queue.shift();
    }
    return pieces;
  }
}
