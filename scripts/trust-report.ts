// Which tests of a run are meant by a file and a title, as vitest tells of them.
import { relative } from "node:path";

/** As far as we read it. */
export interface TrustTestReport {
  testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[];
}

export interface TrustTestResult {
  file: string;
  name: string;
  status: string;
}

export const testResults = ({ testResults }: TrustTestReport, root: string): TrustTestResult[] =>
  testResults.flatMap(({ name: path, assertionResults }) =>
    assertionResults.map(({ fullName: name, status }) => ({ file: relative(root, path), name, status })),
  );

/** The tests whose full name holds the title; where the title has a placeholder, anything may stand. */
export function findResults(
  ran: readonly TrustTestResult[],
  [file, title]: readonly [file: string, title: string],
): TrustTestResult[] {
  const pieces = title.split(/%[sdifjo#]|\$[a-zA-Z][\w.]*/);
  const pattern = new RegExp(pieces.map((piece) => RegExp.escape(piece)).join("[\\s\\S]*"));
  return ran.filter((one) => one.file === file && pattern.test(one.name));
}
