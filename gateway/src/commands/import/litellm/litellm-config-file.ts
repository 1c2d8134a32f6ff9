/**
 * `config.yaml` of LiteLLM: what its proxy is started with, besides its database or in place of
 * one. Pure.
 */
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import type { LitellmDeployment } from "./litellm-deployments.ts";

type Members = Readonly<Record<string, unknown>>;

/**
 * `LitellmConfiguration` is what LiteLLM is configured with, in its database or in a file, in
 * clear.
 */
export interface LitellmConfiguration {
  deployments: readonly LitellmDeployment[];
  credentials: ReadonlyMap<string, Members>;
  /**
   * `environment` is what is set in place of the environment; a value may be a reference to the
   * environment.
   */
  environment: ReadonlyMap<string, string>;
  /** The members of each section. */
  settings: ReadonlyMap<string, Members>;
}

/** Sections with objects; the further ones are lists, or concern LiteLLM alone. */
const settingSections = ["litellm_settings", "router_settings", "general_settings"] as const;
const readElsewhere: ReadonlySet<string> = new Set([
  ...settingSections,
  "model_list",
  "credential_list",
  "environment_variables",
  "include",
]);

const parseList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const parseObject = (value: unknown): Members => (isJsonRecord(value) ? value : {});
const parseText = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";

/** Undefined where none of LiteLLM's sections is there. */
export function readLitellmConfig(document: unknown): LitellmConfiguration | undefined {
  if (!isJsonRecord(document)) return undefined;
  if (!["model_list", ...settingSections].some((section) => Object.hasOwn(document, section)))
    return undefined;
  const others = Object.entries(document).filter(([section]) => !readElsewhere.has(section));
  return {
    deployments: parseList(document.model_list).map(buildDeployment),
    credentials: new Map(
      parseList(document.credential_list).map((entry) => {
        const { credential_name, credential_values } = parseObject(entry);
        return [parseText(credential_name), parseObject(credential_values)];
      }),
    ),
    environment: new Map(
      Object.entries(parseObject(document.environment_variables)).map(([name, value]) => [
        name,
        parseText(value),
      ]),
    ),
    settings: new Map([
      ...settingSections.map((section) => [section, parseObject(document[section])] as const),
      ["config.yaml", Object.fromEntries(others)] as const,
    ]),
  };
}

/** An entry that cannot be read has no name, which costs it a line later. */
function buildDeployment(entry: unknown, index: number): LitellmDeployment {
  const { model_name, litellm_params, model_info } = parseObject(entry);
  const info = parseObject(model_info);
  const params = Object.fromEntries(
    // A service account may be written as an object; the database and the environment have it as
    // text.
    Object.entries(parseObject(litellm_params)).map(([name, value]) => [
      name,
      name === "vertex_credentials" && isJsonRecord(value) ? JSON.stringify(value) : value,
    ]),
  );
  return {
    id: parseText(info.id) || `model_list[${index}]`,
    publicName: parseText(model_name).trim(),
    params,
    info,
    isBlocked: false,
  };
}

/** The files that a configuration names besides itself, by paths relative to its own. */
export const listIncludedFiles = (document: unknown): readonly string[] =>
  isJsonRecord(document)
    ? parseList(document.include).filter((path) => typeof path === "string")
    : [];

/**
 * `mergeConfigurations` takes the second's member of a section that both have, as LiteLLM's
 * database wins over its file.
 */
export function mergeConfigurations(
  a: LitellmConfiguration,
  b: LitellmConfiguration,
): LitellmConfiguration {
  const sections = new Set([...a.settings.keys(), ...b.settings.keys()]);
  return {
    deployments: [...a.deployments, ...b.deployments],
    credentials: new Map([...a.credentials, ...b.credentials]),
    environment: new Map([...a.environment, ...b.environment]),
    settings: new Map(
      [...sections].map((section) => [
        section,
        { ...a.settings.get(section), ...b.settings.get(section) },
      ]),
    ),
  };
}
