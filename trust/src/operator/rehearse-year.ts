/** Plays an operator's year, chapter by chapter, on one site. */
import { rehearseUpgrade } from "../runs/rehearse-upgrade.ts";
import type { RunStore } from "../runs/with-store.ts";
import {
  addNode,
  fillUpDisk,
  jumpClock,
  loseDisk,
  loseMasterKey,
  loseStandby,
} from "./disaster-chapters.ts";
import { leakKey, revokeProviderKey } from "./leak-chapters.ts";
import { moveIn, rotateMasterKey, runBoth } from "./moving-chapters.ts";
import type { OperatorChapter } from "./operator-chapter.ts";
import { openOperatorSite } from "./operator-site.ts";

/** In the order in which they are played: the clock comes last, for its ids stay ahead. */
const chapters: readonly OperatorChapter[] = [
  ...[moveIn, runBoth, rotateMasterKey, revokeProviderKey, leakKey],
  ...[loseDisk, loseMasterKey, fillUpDisk, loseStandby, addNode, jumpClock],
];

export interface PlayedChapter {
  title: string;
  /** The longest time in which no call was answered. */
  withoutServiceMs: number;
  problems: string[];
}

export interface RehearsedYear {
  played: PlayedChapter[];
  /** Why a chapter could not be played on this machine. */
  missing: string[];
  answers: number;
}

interface YearOptions extends RunStore {
  /** The commits of earlier programs, from each of which an upgrade is played. */
  from: readonly string[];
  onChapter(played: PlayedChapter): void;
}

export async function rehearseYear({
  from,
  onChapter,
  ...use
}: YearOptions): Promise<RehearsedYear> {
  const played: PlayedChapter[] = [];
  const missing: string[] = [];
  const note = (chapter: PlayedChapter): void => {
    played.push(chapter);
    onChapter(chapter);
  };
  for (const name of from) {
    const { withoutServiceMs, problems, from: commit } = await rehearseUpgrade(use, name);
    note({ title: `an upgrade from ${commit}`, withoutServiceMs, problems });
  }
  const site = await openOperatorSite(use);
  try {
    for (const { title, only, isMissing, play } of chapters) {
      if (only && only !== use.store) continue;
      const reason = isMissing?.();
      if (reason !== undefined) {
        missing.push(`${title}: ${reason}`);
        continue;
      }
      const problems: string[] = [];
      try {
        await play(site);
        problems.push(...(await site.findProblems()));
      } catch (error) {
        problems.push((error as Error).message);
      }
      note({ title, withoutServiceMs: site.caller.takeLongestGap(), problems });
      // What comes next would only repeat it.
      if (problems.length > 0) break;
    }
    return { played, missing, answers: site.caller.calls() };
  } finally {
    await site.close();
  }
}
