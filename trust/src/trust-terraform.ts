// `npm run trust -- terraform`: the Terraform provider under OpenTofu, against a running gateway.
import { driveTerraform } from "./runs/drive-terraform.ts";
import { defineRun } from "./trust-run.ts";
import { ending, showProblems } from "./trust-run-words.ts";

export const terraformRun = defineRun({
  summary:
    "the Terraform provider under OpenTofu, both built here: apply, empty plans, drift, imports, replacement, destroy",
  options: {},
  async run(_options, { report }) {
    const { resources, checks, problems } = await driveTerraform((step) => console.log(step));
    showProblems(problems);
    const kinds = new Set(resources.map((address) => address.split(".")[0]));
    report({
      run: "terraform",
      size: kinds.size,
      passed: problems.length === 0 && kinds.size > 0,
      figures: [
        `${resources.length} resources of ${kinds.size} kinds, ${checks} checks`,
        ending(
          "nothing is planned after apply, calls, undone drift and imports; secrets are in no state",
          problems,
        ),
      ].join("; "),
    });
  },
});
