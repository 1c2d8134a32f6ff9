/** What a release writes about proofs, as text. Pure. */

export interface ProofCounts {
  promises: number;
  /** Promises that tests show, whole or in part. */
  tested: number;
  notApplicable: number;
  /** Tests that show a promise. */
  tests: number;
  largeRuns: number;
  /** Large runs whose last record passed at the size of its goal. */
  passedRuns: number;
}

const begin = "<!-- figures: written by `npm run release` -->";
const end = "<!-- end of figures -->";

/** Throws an `Error` where the page has lost its markers. */
export function insertProofFigures(page: string, version: string, counts: ProofCounts): string {
  const [head, rest] = page.split(begin, 2);
  const tail = rest?.split(end, 2)[1];
  if (head === undefined || tail === undefined)
    throw new Error(`docs/assurance/proofs.md has lost "${begin}" or "${end}"`);
  const { promises, tested, notApplicable, tests, largeRuns, passedRuns } = counts;
  const text = `At ${version}: ${promises} promises, of which ${tested} are shown by ${tests} tests and ${notApplicable} do not apply; ${passedRuns} of ${largeRuns} large runs passed at the size of their goal.`;
  return `${head}${begin}\n${text}\n${end}${tail}`;
}

/**
 * `keepLinksWithin` turns links to pages that are not published beside this one into the names of
 * their files.
 */
export const keepLinksWithin = (page: string, published: readonly string[]): string =>
  page.replaceAll(
    /\[([^\]]*)\]\((?!https?:)([^)#]+)(#[^)]*)?\)/g,
    (link, words: string, path: string) =>
      published.includes(path) ? link : `\`${words.replaceAll("`", "")}\``,
  );
