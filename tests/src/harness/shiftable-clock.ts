/**
 * A gateway's clock that a test moves while the gateway runs; monotonic time goes on as it does.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { repositoryDir } from "./repository-dir.ts";

export interface ShiftableClock {
  /** `env` is for the gateway's process. */
  env: Record<string, string>;
  /** The gateway's time. */
  now(): number;
  /** Forward or back. */
  shift(ms: number): Promise<void>;
  close(): void;
}

/** The gateway reads its offset again at most this much later. */
const clockReadMs = 25;

export function createShiftableClock(): ShiftableClock {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-clock-"));
  const file = join(folder, "offset");
  let offsetMs = 0;
  writeFileSync(file, "0");
  return {
    env: {
      NODE_OPTIONS: `--import=${join(repositoryDir, "tests/src/harness/moved-clock.ts")}`,
      MOVED_CLOCK: file,
    },
    now: () => Date.now() + offsetMs,
    async shift(ms) {
      offsetMs += ms;
      writeFileSync(file, String(offsetMs));
      await pause(clockReadMs);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
