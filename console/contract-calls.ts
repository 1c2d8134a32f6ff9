/**
 * A Babel plugin that shrinks the contract's modules in the console's build.
 *
 * What: each exported endpoint is replaced by a literal of the fields that `call` reads (method,
 * path, reply, variant, timeoutMs). The initializer of every other exported constant becomes a call
 * marked as pure, so that the bundler drops it unless a page imports it by name, as forms do with
 * their schemas.
 *
 * Why: endpoints hold the schemas the gateway parses with. The console does not parse replies, so
 * without the plugin every page would load all schemas and the schema library (10 kB gzip).
 *
 * Relies on: the modules of contract/src being importable without side effects, and endpoints being
 * exported constants. If the plugin fails to recognize an endpoint, the build still works and
 * `check-budget.ts` reports the size.
 *
 * Removable when: the bundler drops unused properties of objects, or the contract exports calls and
 * schemas separately.
 */
import { readdirSync } from "node:fs";
import { join, normalize } from "node:path";
import { pathToFileURL } from "node:url";
import type { NodePath, PluginObj, types as Types } from "@babel/core";
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";

type BabelApi = { types: typeof Types };
type ModuleExports = Record<string, unknown>;

const contractFolder = join(import.meta.dirname, "../contract/src");

/** Imports the contract instead of parsing it: an endpoint may be composed from shared parts. */
export async function contractCalls(): Promise<(babel: BabelApi) => PluginObj> {
  const modules = new Map<string, ModuleExports>();
  const names = readdirSync(contractFolder, { encoding: "utf8", recursive: true });
  for (const name of names.filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))) {
    const file = join(contractFolder, name);
    modules.set(file, await import(pathToFileURL(file).href));
  }
  return (babel) => createPlugin(babel, modules);
}

function createPlugin(
  { types: t }: BabelApi,
  modules: ReadonlyMap<string, ModuleExports>,
): PluginObj {
  return {
    name: "contract-calls",
    visitor: {
      Program(program, { filename = "" }) {
        const exported = modules.get(normalize(filename));
        if (exported === undefined) return;
        for (const declarator of constants(program)) {
          const { id, init } = declarator.node;
          const value = t.isIdentifier(id) ? exported[id.name] : undefined;
          if (isEndpoint(value)) declarator.node.init = t.valueToNode(callFields(value));
          else if (init && !t.isLiteral(init) && !t.isFunction(init))
            declarator.node.init = markPure(init);
        }
      },
    },
  };

  function constants(program: NodePath<Types.Program>): NodePath<Types.VariableDeclarator>[] {
    return program.get("body").flatMap((statement) => {
      const declaration = statement.isExportNamedDeclaration()
        ? statement.get("declaration")
        : statement;
      return declaration.isVariableDeclaration() ? declaration.get("declarations") : [];
    });
  }

  /** Lets the bundler drop the value when it is unused. */
  function markPure(value: Types.Expression): Types.Expression {
    return t.addComment(
      t.callExpression(t.arrowFunctionExpression([], value), []),
      "leading",
      "#__PURE__",
    );
  }
}

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === "object" &&
  value !== null &&
  "access" in value &&
  "path" in value &&
  "method" in value;

/** The fields of an endpoint that `call` reads. */
const callFields = ({ method, path, reply, variant, timeoutMs }: Endpoint) => ({
  method,
  path,
  reply,
  ...(variant !== undefined && { variant }),
  ...(timeoutMs !== undefined && { timeoutMs }),
});
