// `npm run pages`: the pages of what is proved, made of the promises, their tests and the data that
// runs keep in docs/assurance. A release publishes them; none is committed, for each changes with
// nearly every commit.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { clientsPage, readDrivenClients } from "@tollgate/tests/clients/clients-page.ts";
import { readOutcomes } from "@tollgate/tests/conformance/conformance-outcomes.ts";
import { conformancePage } from "@tollgate/tests/conformance/conformance-page.ts";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";
import { countProofs, trustPage } from "@tollgate/tests/trust/trust-page.ts";
import { readScriptOptions } from "../../scripts/script-options.ts";
import { insertProofFigures, keepLinksWithin } from "./proof-figures.ts";

const { values } = readScriptOptions({
  command: "npm run pages",
  summary: "writes the pages of what is proved: trust, conformance, clients, structure",
  options: {
    to: { type: "string", default: "dist/proof", value: "FOLDER", help: "where they are written" },
    figures: {
      type: "string",
      default: "",
      value: "VERSION",
      help: "also writes the figures of this version into docs/assurance/proofs.md",
    },
  },
});
const folder = resolve(repositoryDir, values.to);
mkdirSync(folder, { recursive: true });
const pages = {
  "trust.md": trustPage(),
  "conformance.md": conformancePage(readOutcomes()),
  "clients.md": clientsPage(readDrivenClients()),
};
for (const [name, text] of Object.entries(pages))
  writeFileSync(join(folder, name), keepLinksWithin(text, Object.keys(pages)));
const structure = join(repositoryDir, "scripts/structure.ts");
const { status } = spawnSync(process.execPath, [structure, "--to", join(folder, "structure.md")], {
  cwd: repositoryDir,
  stdio: "inherit",
});
if (status !== 0) throw new Error("scripts/structure.ts failed; its page is missing");
if (values.figures !== "") {
  const file = join(repositoryDir, "docs/assurance/proofs.md");
  writeFileSync(
    file,
    insertProofFigures(readFileSync(file, "utf8"), values.figures, countProofs()),
  );
}
console.log(`The pages are in ${folder}.`);
