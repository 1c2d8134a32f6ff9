/** What the verbs of `users`, `keys` and `channels` take: flags from the schemas of the contract, and the text of --help. */
import { type ManagedResource, type ManagedResourceName, managedResources } from "./managed-resources.ts";
import { flagsOf, type SchemaFlag } from "./schema-flags.ts";

const verbs = ["list", "show", "create", "put", "update", "enable", "disable", "rotate", "delete"] as const;
export type Verb = (typeof verbs)[number];
/** Their argument is the id or uuid; of `put` it is the external id. */
export const namesResource: ReadonlySet<Verb> = new Set([
  "show",
  "put",
  "update",
  "enable",
  "disable",
  "rotate",
  "delete",
]);
const takesMembers: ReadonlySet<Verb> = new Set(["create", "put", "update"]);
const reads: ReadonlySet<Verb> = new Set(["list", "show"]);
/** What they make is shown by this reply alone, where the site shows no key again. */
export const makesSecret: ReadonlySet<Verb> = new Set(["create", "rotate"]);

export const verbsOf = ({ endpoints }: ManagedResource): readonly Verb[] =>
  verbs.filter((verb) => verb !== "rotate" || endpoints.rotate !== undefined);

type FlagOption = { type: "string" | "boolean"; default?: boolean };
/** The operation whose schema gives a verb its flags. */
function schemaOf({ endpoints }: ManagedResource, verb: Verb) {
  switch (verb) {
    case "list":
      return endpoints.search.query;
    case "create":
    case "update":
    case "put":
    case "rotate":
      return endpoints[verb]?.body;
    default:
      return undefined;
  }
}

export const flagsOfVerb = (resource: ManagedResource, verb: Verb): SchemaFlag[] => flagsOf(schemaOf(resource, verb));

export function optionsOf(
  { secrets, shownSecret, everyone }: ManagedResource,
  verb: Verb,
  flags: readonly SchemaFlag[],
): Record<string, FlagOption> {
  const options: Record<string, FlagOption> = { json: { type: "boolean", default: false } };
  for (const { member, name } of flags) options[secrets.includes(member) ? `${name}-file` : name] = { type: "string" };
  if (takesMembers.has(verb)) options.data = { type: "string" };
  if (!reads.has(verb)) options["dry-run"] = { type: "boolean", default: false };
  if (verb === "rotate") options["idempotency-key"] = { type: "string" };
  if (verb === "delete") options.yes = { type: "boolean", default: false };
  if (everyone && (verb === "list" || verb === "disable")) options.everyone = { type: "boolean", default: false };
  // No other reply shows it to a management key.
  if (shownSecret !== undefined && (makesSecret.has(verb) || verb === "put")) {
    options[`show-${shownSecret}`] = { type: "boolean", default: false };
    options[`${shownSecret}-to`] = { type: "string" };
  }
  return options;
}

/** What a verb takes, from the schemas of the contract. */
export function resourceUsage(name: ManagedResourceName): string {
  const resource: ManagedResource = managedResources[name];
  return verbsOf(resource)
    .map((verb) => verbUsage(name, resource, verb).join("\n"))
    .join("\n\n");
}

const verbSummaries: Record<Verb, (noun: string) => string> = {
  list: (noun) => `one page of ${noun}s as a table`,
  show: (noun) => `one ${noun} with all its members`,
  create: (noun) => `makes a ${noun}`,
  put: (noun) => `makes the ${noun} of this external id, or changes it; a repetition changes nothing`,
  update: () => "changes the members that are named",
  enable: (noun) => `enables a ${noun}`,
  disable: (noun) => `disables a ${noun}: it stops working at once`,
  rotate: (noun) => `gives a ${noun} a new value, while the old one works on for the seconds of the overlap`,
  delete: (noun) => `deletes a ${noun}, with --yes`,
};

function verbUsage(name: ManagedResourceName, resource: ManagedResource, verb: Verb): string[] {
  const argument = { put: " EXTERNAL_ID", list: "", create: "" }[verb as string] ?? " ID";
  const flags = flagsOfVerb(resource, verb);
  const helpOf = new Map(
    flags.map(({ member, name: flag, help, isNullable }) =>
      resource.secrets.includes(member)
        ? [`${flag}-file`, "a file with it; - reads standard input"]
        : [flag, isNullable ? `${help}; none removes it` : help],
    ),
  );
  const ownHelp: Readonly<Record<string, string>> = {
    json: "prints JSON with every member",
    data: "a file with the members as a JSON object; - reads standard input",
    "dry-run": "has the gateway check rights and input, and changes nothing",
    yes: "does it",
    everyone: "keys of all users, for administrators",
    "show-key": "prints the key, which is masked otherwise",
    "idempotency-key": "of your choice: the same command with the same one rotates once in a day",
    "key-to": "writes the key to a new file that its owner alone can read",
  };
  const lines = Object.entries(optionsOf(resource, verb, flags)).map(([flag, { type }]) => {
    const shown = type === "string" ? `--${flag} ${/-file$|^data$|-to$/.test(flag) ? "FILE" : "VALUE"}` : `--${flag}`;
    return `  ${shown.padEnd(34)}${helpOf.get(flag) ?? ownHelp[flag] ?? ""}`.trimEnd();
  });
  return [`${name} ${verb}${argument}: ${verbSummaries[verb](resource.noun)}`, ...lines];
}
