/** A CycloneDX document (https://cyclonedx.org/docs/1.6/json/) of the packages that run. */
import { dependenciesOf, type Lockfile, packageName } from "./npm-packages.ts";

/** Without a date or a random number: two runs over the same lockfile write the same bytes. */
export function billOfMaterials(
  lock: Lockfile,
  folders: readonly string[],
  own: { name: string; version: string },
) {
  const known = new Set(folders);
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": own.name,
        ...own,
        licenses: [{ license: { id: "MIT" } }],
      },
    },
    components: folders.map((folder) => componentOf(lock, folder)),
    dependencies: [
      { ref: own.name, dependsOn: folders.map((folder) => addressOf(lock, folder)) },
      ...folders.map((folder) => ({
        ref: addressOf(lock, folder),
        dependsOn: dependenciesOf(lock, folder)
          .filter((one) => known.has(one))
          .map((one) => addressOf(lock, one)),
      })),
    ],
  };
}

function componentOf(lock: Lockfile, folder: string) {
  const { version = "", license = "", integrity = "" } = lock[folder] ?? {};
  const name = packageName(folder);
  const [group, plain] = name.startsWith("@") ? name.split("/") : [undefined, name];
  const address = addressOf(lock, folder);
  return {
    type: "library",
    "bom-ref": address,
    ...(group && { group }),
    name: plain,
    version,
    hashes: hashesOf(integrity),
    licenses: / (OR|AND) /.test(license)
      ? [{ expression: license }]
      : [{ license: { id: license } }],
    purl: address,
  };
}

/** The package URL (https://github.com/package-url/purl-spec). */
function addressOf(lock: Lockfile, folder: string): string {
  return `pkg:npm/${packageName(folder).replace("@", "%40")}@${lock[folder]?.version}`;
}

/** "sha512-…" as npm writes it, in hexadecimal as CycloneDX wants it. */
function hashesOf(integrity: string): { alg: string; content: string }[] {
  const [, bits, digest] = /^sha(256|384|512)-(.+)$/.exec(integrity) ?? [];
  return bits && digest
    ? [{ alg: `SHA-${bits}`, content: Buffer.from(digest, "base64").toString("hex") }]
    : [];
}
