// `npm run trust -- terraform`: the Terraform provider under OpenTofu or Terraform, against a running
// gateway.
import { driveTerraform } from "./runs/drive-terraform.ts";
import { isTofuProgram } from "./runs/terraform-command.ts";
import { defineRun } from "./trust-run.ts";
import { ending, showProblems } from "./trust-run-words.ts";

export const terraformRun = defineRun({
  summary:
    "the Terraform provider, built here: its Go tests, apply, empty plans, drift, imports, replacement, destroy",
  options: {
    program: ["tofu", "tofu, which is built here, or terraform, which is on PATH"],
  },
  async run({ program }, { report }) {
    if (!isTofuProgram(program)) throw new Error("--program is tofu or terraform");
    const { resources, checks, problems } = await driveTerraform(program, (step) =>
      console.log(step),
    );
    showProblems(problems);
    const kinds = new Set(resources.map((address) => address.split(".")[0]));
    report({
      run: program === "tofu" ? "terraform" : "terraform itself",
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
