import { CallIds } from "../value-rules/unique-call-ids.ts";
import { type JsonRecord, text } from "../wire/json-parts.ts";
import { CallNumbers, findUnquoted, readCalledTool } from "./chat-parts.ts";
import { callSignatureBlock } from "./encrypted-reasoning.ts";
import { JsonValueEnd } from "./json-value-end.ts";

/**
 * The calls of one streamed answer of chat completions, whatever way a server tells them: all with
 * one index, without ids or with one id for two, with a name that comes late, in parts or again
 * beside each piece, with arguments that stand in quotes.
 */

/** `CallPiece` is what clients may learn of a call: its first one has all that they know it by. */
export interface CallPiece {
  /** `call` is counted from 0. */
  call: number;
  isFirst: boolean;
  /** Empty where the server gave none. */
  id: string;
  name: string;
  isCustom: boolean;
  /** Google's signature of the call. */
  signature: JsonRecord | undefined;
  /** The next part of the arguments, or of a custom tool's input. */
  written: string;
}

interface CallSoFar extends CallPiece {
  /** The id in the server's words, which may be that of another call. */
  toldId: string;
  /** `opening` is the first letter of the arguments but for blanks; empty before they begin. */
  opening: string;
  /** `end` is that of the arguments. */
  end: JsonValueEnd;
  /** `waiting` holds the arguments that clients have not learned. */
  waiting: string;
}

export class StreamedCalls {
  /** Calls by their index in chat completions: the one that the next piece belongs to. */
  readonly #calls = new Map<number, CallSoFar>();
  readonly #numbers = new CallNumbers();
  readonly #ids = new CallIds();
  /** Calls of which something waits, in the order in which they began. */
  #waiting = new Set<CallSoFar>();
  #count = 0;
  #hasNameless = false;

  /** The model called something that its server did not name to the end. */
  get hasNameless(): boolean {
    return this.#hasNameless;
  }

  /** Something of a call's arguments may still come before clients learn of it. */
  get isOpen(): boolean {
    return [...this.#waiting].some(({ isCustom }) => !isCustom);
  }

  /** Takes an element of `tool_calls` and returns the pieces that clients may learn. */
  push(part: JsonRecord): CallPiece[] {
    const index = this.#numbers.read(part);
    const { name, written, isCustom } = readCalledTool(part);
    const id = text(part.id);
    const current = this.#calls.get(index);
    // Some servers give all calls the same index: a different id is a different call.
    const isSame = id === "" || current?.toldId === "" || id === current?.toldId;
    const isContinued = current && isSame && !isNextCall(current, id, name, written);
    const before = isContinued ? [] : this.#takeNamed();
    const call = isContinued ? current : this.#start(index, isCustom);
    call.toldId ||= id;
    if (call.opening === "") call.name = joinName(call.name, name);
    call.name ||= name;
    call.signature ??= callSignatureBlock(part);
    call.opening ||= written.trimStart().charAt(0);
    call.end.push(written);
    call.waiting += written;
    return [...before, ...this.#takeDue(call)];
  }

  /** Returns what is left, but for calls that never got a name: no client can run those. */
  end(): CallPiece[] {
    const left = [...this.#waiting].filter(({ name }) => name !== "");
    this.#hasNameless ||= left.length < this.#waiting.size;
    this.#waiting.clear();
    return left.map((call) => this.#take(call, true));
  }

  #start(index: number, isCustom: boolean): CallSoFar {
    const call: CallSoFar = {
      ...{ call: this.#count, isFirst: true, id: "", name: "", isCustom, signature: undefined },
      ...{ written: "", toldId: "", opening: "", end: new JsonValueEnd(), waiting: "" },
    };
    this.#count += 1;
    this.#calls.set(index, call);
    this.#waiting.add(call);
    return call;
  }

  /** A call whose arguments have not begun has its whole name where another call begins. */
  #takeNamed(): CallPiece[] {
    return [...this.#waiting]
      .filter(
        ({ isFirst, name, toldId, opening }) =>
          isFirst && name !== "" && toldId !== "" && opening === "",
      )
      .map((call) => this.#take(call));
  }

  #takeDue(call: CallSoFar): CallPiece[] {
    this.#waiting.add(call);
    // A name may go on until the arguments begin, and an id come after them.
    if (call.waiting === "" || call.name === "" || call.toldId === "") return [];
    return [this.#take(call)];
  }

  #take(call: CallSoFar, isOver = false): CallPiece {
    const { isFirst, toldId } = call;
    if (isFirst) call.id = this.#ids.take(toldId);
    call.isFirst = false;
    const { call: number, id, name, isCustom, signature, waiting } = call;
    const piece = { call: number, isFirst, id, name, isCustom, signature };
    const isQuoted = !isCustom && call.opening === '"';
    // Arguments in quotes are read once they are whole.
    if (isQuoted && !isOver && !call.end.isReached) return { ...piece, written: "" };
    call.waiting = "";
    this.#waiting.delete(call);
    return { ...piece, written: isQuoted ? (findUnquoted(waiting) ?? waiting) : waiting };
  }
}

/** Some servers repeat the whole name beside its next part, or beside each piece of a call. */
const joinName = (known: string, added: string): string =>
  added.startsWith(known) ? added : known + added;

/**
 * Whether a piece without an id begins another call: Google's compatible API gives its calls
 * neither ids nor numbers, each whole. Other servers repeat the name of a call beside each piece of
 * its arguments.
 */
const isNextCall = (current: CallSoFar, id: string, name: string, written: string): boolean =>
  id === "" &&
  name !== "" &&
  written !== "" &&
  current.name !== "" &&
  current.opening === "{" &&
  current.end.isReached;
