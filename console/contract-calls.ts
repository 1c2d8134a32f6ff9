/**
 * A Babel plugin for the contract's modules. The gateway parses with the schemas of an endpoint; the console only needs
 * to know how to call it, so its build keeps method, path and what `call` reads. What a form validates with is imported
 * by name and stays; the rest, and with it the schema library, leaves the pages that have no form (10 kB gzip each).
 */
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { NodePath, PluginObj, types as Types } from "@babel/core";
import type { Endpoint } from "@tollgate/contract/endpoint.ts";

type BabelApi = { types: typeof Types };
type ModuleExports = Record<string, unknown>;

const contractFolder = join(import.meta.dirname, "../contract/src");

/** Read from the running modules, because an endpoint may be put together from parts. */
export async function contractCalls(): Promise<(babel: BabelApi) => PluginObj> {
  const modules = new Map<string, ModuleExports>();
  for (const name of readdirSync(contractFolder).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))) {
    modules.set(name, await import(pathToFileURL(join(contractFolder, name)).href));
  }
  return (babel) => createPlugin(babel, modules);
}

function createPlugin({ types: t }: BabelApi, modules: ReadonlyMap<string, ModuleExports>): PluginObj {
  return {
    name: "contract-calls",
    visitor: {
      Program(program, { filename = "" }) {
        const exported = dirname(filename) === contractFolder ? modules.get(basename(filename)) : undefined;
        if (exported === undefined) return;
        for (const declarator of constants(program)) {
          const { id, init } = declarator.node;
          const value = t.isIdentifier(id) ? exported[id.name] : undefined;
          if (isEndpoint(value)) declarator.node.init = t.valueToNode(callFields(value));
          else if (init && !t.isLiteral(init) && !t.isFunction(init)) declarator.node.init = markPure(init);
        }
      },
    },
  };

  function constants(program: NodePath<Types.Program>): NodePath<Types.VariableDeclarator>[] {
    return program.get("body").flatMap((statement) => {
      const declaration = statement.isExportNamedDeclaration() ? statement.get("declaration") : statement;
      return declaration.isVariableDeclaration() ? declaration.get("declarations") : [];
    });
  }

  /** Says to the bundler that nothing is lost when nobody reads it. */
  function markPure(value: Types.Expression): Types.Expression {
    return t.addComment(t.callExpression(t.arrowFunctionExpression([], value), []), "leading", "#__PURE__");
  }
}

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === "object" && value !== null && "access" in value && "path" in value && "method" in value;

/** What `call` reads of an endpoint. */
const callFields = ({ method, path, list, variant, timeoutMs }: Endpoint) => ({
  method,
  path,
  list,
  ...(variant !== undefined && { variant }),
  ...(timeoutMs !== undefined && { timeoutMs }),
});
