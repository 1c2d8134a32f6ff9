/**
 * The verbs of `users`, `keys`, `teams` and `channels`: rows of commands with flags from the schemas of the
 * contract.
 */
import type { CommandOption, CommandRow } from "./command-row.ts";
import {
  type ManagedResource,
  type ManagedResourceName,
  managedResourceNames,
  managedResources,
} from "./managed-resources.ts";
import { listFlags, type SchemaFlag } from "./schema-flags.ts";

const verbs = [
  "list",
  "show",
  "create",
  "put",
  "update",
  "enable",
  "disable",
  "rotate",
  "delete",
] as const;
export type Verb = (typeof verbs)[number];
/** Their argument is the id or uuid; of `put` it is the external id. */
const namesResource: ReadonlySet<Verb> = new Set([
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
/**
 * `makesSecret` are the verbs whose result is shown by this reply alone, where the site shows no
 * key again.
 */
export const makesSecret: ReadonlySet<Verb> = new Set(["create", "rotate"]);

const listVerbs = ({ endpoints }: ManagedResource): readonly Verb[] =>
  verbs.filter((verb) => {
    if (verb === "rotate") return endpoints.rotate !== undefined;
    return verb !== "delete" || endpoints.remove !== undefined;
  });

/** The operation whose schema gives a verb its flags. */
function findSchema({ endpoints }: ManagedResource, verb: Verb) {
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

export const listFlagsOfVerb = (resource: ManagedResource, verb: Verb): SchemaFlag[] =>
  listFlags(findSchema(resource, verb));

/** `ownOptions` are what a verb takes besides, by its name. */
const ownOptions: Readonly<Record<string, Omit<CommandOption, "name">>> = {
  json: { help: "prints JSON with every member" },
  data: { value: "FILE", help: "a file with the members as a JSON object; - reads standard input" },
  "dry-run": { help: "has the gateway check rights and input, and changes nothing" },
  everyone: { help: "keys of all users, for administrators" },
  "idempotency-key": {
    value: "VALUE",
    help: "of your choice: the same command with the same one rotates once in a day",
  },
};
const own = (name: string): CommandOption => ({ name, help: "", ...ownOptions[name] });

const flagOption = (
  { member, name, help, isNullable }: SchemaFlag,
  secrets: readonly string[],
): CommandOption =>
  secrets.includes(member)
    ? { name: `${name}-file`, value: "FILE", help: "a file with it; - reads standard input" }
    : { name, value: "VALUE", help: isNullable ? `${help}; none removes it` : help };

function listOptionsOfVerb(resource: ManagedResource, verb: Verb): CommandOption[] {
  const { secrets, shownSecret, everyone } = resource;
  // No other reply shows it to a management key.
  const showsSecret = makesSecret.has(verb) || verb === "put";
  return [
    own("json"),
    ...listFlagsOfVerb(resource, verb).map((flag) => flagOption(flag, secrets)),
    ...(takesMembers.has(verb) ? [own("data")] : []),
    ...(reads.has(verb) ? [] : [own("dry-run")]),
    ...(verb === "rotate" ? [own("idempotency-key")] : []),
    ...(everyone && (verb === "list" || verb === "disable") ? [own("everyone")] : []),
    ...(shownSecret === undefined || !showsSecret
      ? []
      : [
          {
            name: `show-${shownSecret}`,
            help: `prints the ${shownSecret}, which is masked otherwise`,
          },
          {
            name: `${shownSecret}-to`,
            value: "FILE",
            help: `writes the ${shownSecret} to a new file that its owner alone can read`,
          },
        ]),
  ];
}

const verbSummaries: Record<Verb, (noun: string) => string> = {
  list: (noun) => `prints one page of ${noun}s as a table`,
  show: (noun) => `prints one ${noun} with all its members`,
  create: (noun) => `makes a ${noun}`,
  put: (noun) =>
    `makes the ${noun} of this external id, or changes it; a repetition changes nothing`,
  update: () => "changes the members that are named",
  enable: (noun) => `enables a ${noun}`,
  disable: (noun) => `disables a ${noun}: it stops working at once`,
  rotate: (noun) =>
    `gives a ${noun} a new value, while the old one works on for the seconds of the overlap`,
  delete: (noun) => `deletes a ${noun} for good`,
};

const nameArgument = (verb: Verb): string => (verb === "put" ? "EXTERNAL_ID" : "ID");

function listRows(name: ManagedResourceName): CommandRow[] {
  const resource: ManagedResource = managedResources[name];
  return listVerbs(resource).map((verb) => ({
    name: `${name} ${verb}`,
    summary: verbSummaries[verb](resource.noun),
    args: namesResource.has(verb)
      ? [{ name: nameArgument(verb), help: `of the ${resource.noun}`, isRequired: true }]
      : [],
    options: listOptionsOfVerb(resource, verb),
    ...(verb === "delete" && { asksBefore: "it deletes" }),
  }));
}

export interface ResourceVerb {
  resource: ManagedResource;
  verb: Verb;
}

/**
 * `findResourceVerb` gives what a name as `users list` stands for; undefined for other commands.
 */
export function findResourceVerb(command: string): ResourceVerb | undefined {
  const [name, verbName] = command.split(" ");
  const resourceName = managedResourceNames.find((one) => one === name);
  const verb = verbs.find((one) => one === verbName);
  return resourceName && verb && { resource: managedResources[resourceName], verb };
}

/** `listResourceRows` gives one for each verb of each resource. */
export const listResourceRows = (): CommandRow[] => managedResourceNames.flatMap(listRows);
