/**
 * The client's side of a stream: nothing before the first content, and then as fast as the client
 * reads.
 */
import type { StreamToClient } from "../exchange-parts.ts";

/** No provider sends this much before the first content; a stream that does is passed on. */
const heldBackBytesMax = 64 * 1024;

export class ClientStream {
  readonly #exchange: StreamToClient;
  readonly #droppedFields: readonly string[];
  readonly #onDrain: () => void;
  /** Events before the first content: until they are sent another channel can still take over. */
  #heldBack: Buffer[] = [];
  #heldBackBytes = 0;
  #hasStarted = false;
  #isBehind = false;

  /** `onDrain` runs when a client that was behind has caught up. */
  constructor(exchange: StreamToClient, droppedFields: readonly string[], onDrain: () => void) {
    this.#exchange = exchange;
    this.#droppedFields = droppedFields;
    this.#onDrain = onDrain;
  }

  /** The client received something: no other channel can take over. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  get isBehind(): boolean {
    return this.#isBehind;
  }

  /**
   * Sends `bytes` if `hasContent`, or if content was sent before. False when the client must catch
   * up first.
   */
  write(bytes: Buffer, hasContent: boolean): boolean {
    if (bytes.length === 0) return true;
    if (!this.#hasStarted && !hasContent && this.#heldBackBytes < heldBackBytesMax) {
      this.#heldBack.push(bytes);
      this.#heldBackBytes += bytes.length;
      return true;
    }
    this.#hasStarted = true;
    this.#exchange.openStream(this.#droppedFields);
    const flows = this.#exchange.write(this.#withHeldBack(bytes), () => {
      this.#isBehind = false;
      this.#onDrain();
    });
    this.#isBehind = !flows;
    return flows;
  }

  end(last: Buffer): void {
    this.#exchange.openStream(this.#droppedFields);
    this.#exchange.endStream(this.#withHeldBack(last));
  }

  #withHeldBack(bytes: Buffer): Buffer {
    if (this.#heldBack.length === 0) return bytes;
    const all = Buffer.concat([...this.#heldBack, bytes]);
    this.#heldBack = [];
    return all;
  }
}
