/**
 * Variables of the environment that are understood and do nothing where they stand: each with what
 * they need. Pure.
 */

interface Dependence {
  names: readonly string[];
  /** `needs` are one of them is enough. */
  needs: readonly string[];
}

const dependences: readonly Dependence[] = [
  {
    names: ["DATABASE_DIRECT_URL", "DATABASE_POOLER", "DATABASE_CONNECTIONS"],
    needs: ["DATABASE_URL", "SQL_DSN"],
  },
  { names: ["METRICS_HOST"], needs: ["METRICS_PORT"] },
  {
    names: ["OTEL_TRUST_CALLER_SAMPLING", "OTEL_SPAN_ACCOUNTS"],
    needs: ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"],
  },
];

/** `isNew`: the database has no accounts yet. */
export function listIdleVariables(
  environment: Readonly<Record<string, string | undefined>>,
  isNew: boolean,
): string[] {
  const isSet = (name: string): boolean => (environment[name] ?? "") !== "";
  const alone = dependences.flatMap(({ names, needs }) =>
    needs.some(isSet)
      ? []
      : names
          .filter(isSet)
          .map((name) => `${name} has no effect: it needs ${needs[0]}. Set that, or remove it`),
  );
  const isPasswordIdle = !isNew && isSet("INITIAL_ROOT_PASSWORD");
  return [
    ...alone,
    ...(isPasswordIdle
      ? [
          "INITIAL_ROOT_PASSWORD has no effect: root exists. Remove it; the command root-password makes a new password",
        ]
      : []),
  ];
}
