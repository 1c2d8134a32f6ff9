/**
 * What deploy/compose.yaml and the Helm chart make of the image: the variables, ports and folders
 * that its program starts with.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as z from "zod";
import { listSetArguments } from "../../../scripts/helm-chart.ts";
import { repositoryDir } from "../harness/repository-dir.ts";

const { parse, parseAllDocuments } = createRequire(join(repositoryDir, "gateway/package.json"))(
  "yaml",
) as typeof import("yaml");

const texts = z.record(z.string(), z.coerce.string());
/** Strict: what an engine would heed and the tests do not know is not passed over. */
const composeService = z.strictObject({
  image: z.string(),
  restart: z.literal("unless-stopped"),
  profiles: z.array(z.string()).optional(),
  read_only: z.boolean().optional(),
  cap_drop: z.tuple([z.literal("ALL")]).optional(),
  security_opt: z.array(z.string()).optional(),
  tmpfs: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  stop_grace_period: z.string().optional(),
  environment: texts.optional(),
});
const composeFile = z.strictObject({
  services: z.record(z.string(), composeService),
  volumes: z.record(z.string(), z.null()),
});

export type ComposeFile = z.output<typeof composeFile>;

/**
 * With the lines that its first comment says to uncomment, where PostgreSQL is wanted; `variables`
 * are those of the shell.
 */
export function readCompose({
  onPostgres = false,
  variables = {} as Record<string, string>,
} = {}): ComposeFile {
  const text = readFileSync(join(repositoryDir, "deploy/compose.yaml"), "utf8");
  const wanted = onPostgres ? text.replaceAll(/^( +)# ([A-Z_]+: )/gm, "$1$2") : text;
  const filled = wanted.replaceAll(
    /\$\{([A-Z_]+)(?::-([^}]*))?\}/g,
    (_, name: string, otherwise = "") => {
      return variables[name] ?? otherwise;
    },
  );
  return composeFile.parse(parse(filled));
}

const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.literal("http") }) });
const container = z.object({
  image: z.string(),
  securityContext: z.object({
    readOnlyRootFilesystem: z.literal(true),
    allowPrivilegeEscalation: z.literal(false),
  }),
  env: z.array(
    z.object({
      name: z.string(),
      value: z.string().optional(),
      valueFrom: z
        .object({ secretKeyRef: z.object({ name: z.string(), key: z.string() }) })
        .optional(),
    }),
  ),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
});
const workload = z.object({
  kind: z.enum(["StatefulSet", "Deployment"]),
  spec: z.object({
    template: z.object({
      spec: z.object({
        securityContext: z.object({
          runAsUser: z.number(),
          runAsGroup: z.number(),
          fsGroup: z.number(),
        }),
        containers: z.tuple([container]),
      }),
    }),
  }),
});

/** The objects that Helm renders with these values, as `name=value`. Throws what Helm refuses. */
export function renderChart(helm: string, values: readonly string[] = []): unknown[] {
  const chart = join(repositoryDir, "deploy/helm/tollgate");
  const rendered = execFileSync(
    helm,
    ["template", "tollgate", chart, "--kube-version", "1.30.0", ...listSetArguments(values)],
    { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
  );
  return parseAllDocuments(rendered).map((document): unknown => document.toJS());
}

/** The pod that Helm renders with these values. */
export function renderPod(helm: string, values: readonly string[] = []) {
  const documents = renderChart(helm, values);
  const [found] = documents.flatMap((document) => workload.safeParse(document).data ?? []);
  if (!found) throw new Error("Helm rendered no workload");
  const { securityContext, containers } = found.spec.template.spec;
  return { kind: found.kind, user: securityContext, container: containers[0] };
}

/** The container's variables, those of the Secret among them. */
export const variablesOf = (
  { env }: z.output<typeof container>,
  secret: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    env.map(({ name, value, valueFrom }) => [
      name,
      value ?? secret[valueFrom?.secretKeyRef.key ?? ""] ?? "",
    ]),
  );
