/** The allowed licences of third-party packages, and the page that lists them. */
import { type Lockfile, packageName, wingPackages } from "./npm-packages.ts";

/** Licences that only require to keep their text. */
const permissive = [
  "MIT",
  "MIT-0",
  "ISC",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "Unlicense",
];
/** Only for tools, which are not distributed. Python-2.0 is that of a parser of arguments. */
const onlyForTools = ["MPL-2.0", "CC-BY-4.0", "Python-2.0"];

/**
 * `isAllowedLicence` is about alternatives (OR) one allowed licence is enough; of combined licences
 * (AND) all must be allowed.
 */
export function isAllowedLicence(licence: string, { isTool }: { isTool: boolean }): boolean {
  const allowed = isTool ? [...permissive, ...onlyForTools] : permissive;
  const isGood = (part: string) => part.split(" AND ").every((one) => allowed.includes(one));
  return licence.replace(/[()]/g, "").split(" OR ").some(isGood);
}

export function licencesPage(
  lock: Lockfile,
  folders: readonly string[],
  installed: readonly string[],
): string {
  const inGateway = new Set(installed);
  const wings = wingPackages(lock);
  const row = (folder: string, where: string) =>
    `| ${packageName(folder)} | ${lock[folder]?.license} | ${where} |`;
  const core = folders.map((folder) => row(folder, inGateway.has(folder) ? "gateway" : "console"));
  const inWings = [...wings].map(([folder, wing]) => row(folder, wing)).sort();
  return `${head(folders.length, installed.length)}\n${core.join("\n")}\n\n${wingHead(wings.size)}\n${inWings.join("\n")}\n`;
}

const wingHead = (
  all: number,
): string => `**${all} more** are installed with the gateway, and loaded only by the part that uses them: a running
gateway does not load them. There may be at most 60 of these as well.

| Package | Licence | In |
|---|---|---|`;

const head = (all: number, installed: number): string => `# Packages of others

Written by \`npm run sbom\`, which also writes \`dist/sbom.cdx.json\`: the same packages as a CycloneDX document with
version, hash and licence of each. Tests fail when this page is out of date, when there are more than 60 packages, or when
a licence is none of those in \`scripts/licences.ts\`.

**${all} packages run**: ${installed} that Node loads for the gateway (\`npm ls --omit=dev --all -w gateway\`, without the workspaces
themselves, without types and without those of the second table), and those whose code the console's build holds, as the build itself reports. What
\`npm ls --omit=dev\` counts for the console besides is not in the build: the compiler behind Lingui's macros, which
\`@lingui/react\` names among its dependencies, and what is left out because nothing uses it. Node.js itself is not counted.

| Package | Licence | In |
|---|---|---|`;
