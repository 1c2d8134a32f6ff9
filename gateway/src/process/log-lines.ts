/**
 * Writes the lines of the log in the background, several at a time: a slow terminal or pipe must
 * not slow down calls. Lines that cannot be written wait for the next try.
 */
import { write, writeSync } from "node:fs";

/** That of lines that wait to be written; the next ones are lost. */
const waitingCharsMax = 16 * 1024 * 1024;
const writtenAtChars = 4_096;
const writtenEveryMs = 100;
/** At the end of the process: a reader that is only slow has this long. */
const endTriesMax = 100;
const endTryMs = 10;

export interface LogLines {
  write(line: string): void;
  /**
   * `end` writes what is left, once and before it returns. It gives up where nobody can ever read:
   * a terminal that is gone, a pipe without a reader, a full disk.
   */
  end(): void;
}

export function openLogLines(descriptor: number): LogLines {
  let waiting = "";
  let writing: Buffer | undefined;
  /** The system has `writing`, and will call back. */
  let isUnderWay = false;

  function writeOn(): void {
    if (isUnderWay) return;
    if (!writing) {
      if (waiting === "") return;
      writing = Buffer.from(waiting);
      waiting = "";
    }
    isUnderWay = true;
    const part = writing;
    write(descriptor, part, (error, written) => {
      isUnderWay = false;
      if (error) return;
      writing = written < part.length ? part.subarray(written) : undefined;
      if (writing || waiting.length >= writtenAtChars) writeOn();
    });
  }

  setInterval(writeOn, writtenEveryMs).unref();
  return {
    write(line) {
      if (waiting.length + line.length > waitingCharsMax) return;
      waiting += line;
      if (waiting.length >= writtenAtChars) writeOn();
    },
    end() {
      let left = Buffer.concat([
        // What is under way reaches the system without us.
        ...(writing && !isUnderWay ? [writing] : []),
        Buffer.from(waiting),
      ]);
      writing = undefined;
      waiting = "";
      for (let tries = 0; left.length > 0 && tries < endTriesMax; ) {
        try {
          left = left.subarray(writeSync(descriptor, left));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
          tries += 1;
          Atomics.wait(sleeper, 0, 0, endTryMs);
        }
      }
    },
  };
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));
