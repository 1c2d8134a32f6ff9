// The dashboards of deploy/grafana, from one list of panels. monitoring.test.ts writes them as
// JSON.

interface GrafanaPanel {
  title: string;
  /** What the panel shows that its title does not say. */
  note?: string;
  kind: "timeseries" | "stat" | "table";
  /** A unit of Grafana. */
  unit: "short" | "s" | "reqps" | "currencyUSD" | "percentunit" | "bytes" | "ops";
  /** Columns of 24. */
  width: 6 | 8 | 12 | 24;
  queries: readonly GrafanaQuery[];
}

interface GrafanaQuery {
  expression: string;
  legend: string;
}

export interface GrafanaDashboard {
  /** The name of the file and the end of its uid. */
  name: string;
  title: string;
  panels: readonly GrafanaPanel[];
}

const window = "$__rate_interval";
const channelName =
  "* on (channel) group_left (name) max by (channel, name) (tollgate_channel_info)";
const one = (expression: string, legend = ""): GrafanaQuery[] => [{ expression, legend }];
const quantiles = (metric: string, by = ""): GrafanaQuery[] =>
  ["0.5", "0.95", "0.99"].map((quantile) => ({
    expression: `histogram_quantile(${quantile}, sum by (le${by && `, ${by}`}) (rate(${metric}_bucket[${window}])))`,
    legend: by ? `{{${by}}} p${Number(quantile) * 100}` : `p${Number(quantile) * 100}`,
  }));

export const dashboards: readonly GrafanaDashboard[] = [
  {
    name: "overview",
    title: "Tollgate: overview",
    panels: [
      {
        title: "Calls",
        kind: "timeseries",
        unit: "reqps",
        width: 12,
        queries: one(`sum by (outcome) (rate(tollgate_calls_total[${window}]))`, "{{outcome}}"),
      },
      {
        title: "Refused calls",
        note: "Before anything is held or sent to a provider.",
        kind: "timeseries",
        unit: "reqps",
        width: 12,
        queries: one(`sum by (reason) (rate(tollgate_refused_total[${window}]))`, "{{reason}}"),
      },
      {
        title: "Calls that run",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: [
          ...one("sum by (entry) (tollgate_calls_in_flight)", "{{entry}}"),
          ...one("sum(tollgate_realtime_open)", "realtime sessions"),
        ],
      },
      {
        title: "Duration of calls",
        kind: "timeseries",
        unit: "s",
        width: 8,
        queries: quantiles("tollgate_call_duration_seconds"),
      },
      {
        title: "Time to first content",
        kind: "timeseries",
        unit: "s",
        width: 8,
        queries: quantiles("tollgate_first_content_seconds"),
      },
      {
        title: "Time before the first attempt",
        note: "Reading, authentication, routing and hold.",
        kind: "timeseries",
        unit: "s",
        width: 8,
        queries: quantiles("tollgate_overhead_seconds"),
      },
      {
        title: "Time of the database",
        kind: "timeseries",
        unit: "s",
        width: 8,
        queries: one(
          `histogram_quantile(0.95, sum by (le, verb) (rate(tollgate_db_duration_seconds_bucket[${window}])))`,
          "{{verb}} p95",
        ),
      },
      {
        title: "Errors and connections of the database",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: [
          ...one(
            `sum by (kind) (increase(tollgate_db_errors_total[${window}]))`,
            "errors: {{kind}}",
          ),
          ...one("sum by (state) (tollgate_db_connections)", "{{state}}"),
        ],
      },
      {
        title: "Processor",
        note: "1 is one core.",
        kind: "timeseries",
        unit: "percentunit",
        width: 6,
        queries: one(`rate(process_cpu_seconds_total{job="tollgate"}[${window}])`, "{{instance}}"),
      },
      {
        title: "Memory",
        kind: "timeseries",
        unit: "bytes",
        width: 6,
        queries: one('process_resident_memory_bytes{job="tollgate"}', "{{instance}}"),
      },
      {
        title: "Delay of the event loop",
        kind: "timeseries",
        unit: "s",
        width: 6,
        queries: one("tollgate_event_loop_delay_seconds", "{{instance}} p{{quantile}}"),
      },
      {
        title: "Management API",
        kind: "timeseries",
        unit: "reqps",
        width: 6,
        queries: one(
          `sum by (status) (rate(tollgate_http_requests_total[${window}]))`,
          "{{status}}",
        ),
      },
      {
        title: "Running versions",
        kind: "table",
        unit: "short",
        width: 24,
        queries: one("tollgate_build_info"),
      },
    ],
  },
  {
    name: "channels",
    title: "Tollgate: channels",
    panels: [
      {
        title: "Attempts",
        kind: "timeseries",
        unit: "reqps",
        width: 12,
        queries: one(
          `sum by (channel) (rate(tollgate_attempts_total[${window}])) ${channelName}`,
          "{{channel}} {{name}}",
        ),
      },
      {
        title: "Share of attempts that failed",
        note: "Without answers 4xx, which are mostly the client's, and without calls that the client left.",
        kind: "timeseries",
        unit: "percentunit",
        width: 12,
        queries: one(
          `sum by (channel) (rate(tollgate_attempts_total{result=~"429|5xx|connect|timeout|cut"}[${window}])) / sum by (channel) (rate(tollgate_attempts_total[${window}])) ${channelName}`,
          "{{channel}} {{name}}",
        ),
      },
      {
        title: "Results of attempts",
        kind: "timeseries",
        unit: "reqps",
        width: 12,
        queries: one(`sum by (result) (rate(tollgate_attempts_total[${window}]))`, "{{result}}"),
      },
      {
        title: "Duration of attempts, 95 %",
        kind: "timeseries",
        unit: "s",
        width: 12,
        queries: one(
          `histogram_quantile(0.95, sum by (le, channel) (rate(tollgate_attempt_duration_seconds_bucket[${window}]))) ${channelName}`,
          "{{channel}} {{name}}",
        ),
      },
      {
        title: "Time to first content, median",
        kind: "timeseries",
        unit: "s",
        width: 12,
        queries: one(
          `histogram_quantile(0.5, sum by (le, channel) (rate(tollgate_first_content_seconds_bucket[${window}]))) ${channelName}`,
          "{{channel}} {{name}}",
        ),
      },
      {
        title: "Suspended models and resting keys",
        kind: "timeseries",
        unit: "short",
        width: 12,
        queries: [
          ...one(
            `max by (channel) (tollgate_channel_breakers_open) ${channelName}`,
            "{{channel}} {{name}}: models",
          ),
          ...one(
            `max by (channel) (tollgate_channel_keys_resting) ${channelName}`,
            "{{channel}} {{name}}: keys",
          ),
        ],
      },
      {
        title: "Status",
        note: "1 enabled, 2 disabled by an administrator, 3 disabled automatically.",
        kind: "table",
        unit: "short",
        width: 12,
        queries: one(`max by (channel) (tollgate_channel_status) ${channelName}`),
      },
      {
        title: "Balance at the provider",
        kind: "table",
        unit: "currencyUSD",
        width: 12,
        queries: one(`max by (channel) (tollgate_channel_balance_dollars) ${channelName}`),
      },
    ],
  },
  {
    name: "money",
    title: "Tollgate: money",
    panels: [
      {
        title: "Charged in the chosen time",
        kind: "stat",
        unit: "currencyUSD",
        width: 8,
        queries: one("sum(increase(tollgate_charged_dollars_total[$__range]))"),
      },
      {
        title: "Shortfall in the chosen time",
        note: "What calls cost beyond hold, balance and permitted debt.",
        kind: "stat",
        unit: "currencyUSD",
        width: 8,
        queries: one("max(increase(tollgate_shortfall_dollars_total[$__range]))"),
      },
      {
        title: "Open holds",
        kind: "stat",
        unit: "short",
        width: 8,
        queries: one("max(tollgate_holds_open)"),
      },
      {
        title: "Charged in an hour, by model",
        kind: "timeseries",
        unit: "currencyUSD",
        width: 12,
        queries: one("sum by (model) (increase(tollgate_charged_dollars_total[1h]))", "{{model}}"),
      },
      {
        title: "Charged in an hour, by group",
        kind: "timeseries",
        unit: "currencyUSD",
        width: 12,
        queries: one("sum by (group) (increase(tollgate_charged_dollars_total[1h]))", "{{group}}"),
      },
      {
        title: "Use of budgets",
        note: "Of the site and of models, by number.",
        kind: "timeseries",
        unit: "percentunit",
        width: 12,
        queries: one("max by (budget) (tollgate_budget_used_ratio)", "budget {{budget}}"),
      },
      {
        title: "Calls that a budget refused",
        note: "Budgets of the site and of models, by number.",
        kind: "timeseries",
        unit: "short",
        width: 12,
        queries: one(
          `sum by (budget) (increase(tollgate_budget_refused_total[${window}]))`,
          "budget {{budget}}",
        ),
      },
      {
        title: "Tokens, by kind",
        kind: "timeseries",
        unit: "ops",
        width: 12,
        queries: one(`sum by (bucket) (rate(tollgate_tokens_total[${window}]))`, "{{bucket}}"),
      },
      {
        title: "Share of the prompt read from caches",
        kind: "timeseries",
        unit: "percentunit",
        width: 12,
        queries: one(
          `sum(rate(tollgate_tokens_total{bucket="cache_read"}[${window}])) / sum(rate(tollgate_tokens_total{bucket=~"input|cache_.*"}[${window}]))`,
          "read from a cache",
        ),
      },
      {
        title: "Time to settle",
        kind: "timeseries",
        unit: "s",
        width: 12,
        queries: quantiles("tollgate_settle_duration_seconds"),
      },
      {
        title: "Repeated settlements and swept holds",
        kind: "timeseries",
        unit: "short",
        width: 12,
        queries: [
          ...one(
            `sum(increase(tollgate_settle_retries_total[${window}]))`,
            "settlements tried again",
          ),
          ...one(
            `sum by (end) (increase(tollgate_swept_total[${window}]))`,
            "holds {{end}} by the sweeper",
          ),
        ],
      },
    ],
  },
];

const columns = 24;
const rowHeight = 8;
const dataSource = { type: "prometheus", uid: "$datasource" };

/** The model of a dashboard that Grafana 10 and newer import. */
export function dashboardJson({ name, title, panels }: GrafanaDashboard): string {
  let x = 0;
  let y = 0;
  const placed = panels.map(({ title: panelTitle, note, kind, unit, width, queries }, index) => {
    if (x + width > columns) {
      x = 0;
      y += rowHeight;
    }
    const gridPos = { x, y, w: width, h: rowHeight };
    x += width;
    return {
      id: index + 1,
      type: kind,
      title: panelTitle,
      ...(note && { description: note }),
      gridPos,
      datasource: dataSource,
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: queries.map(({ expression, legend }, query) => ({
        refId: String.fromCharCode("A".charCodeAt(0) + query),
        datasource: dataSource,
        expr: expression,
        ...(legend && { legendFormat: legend }),
        ...(kind === "table" && { format: "table", instant: true }),
      })),
    };
  });
  const dashboard = {
    uid: `tollgate-${name}`,
    title,
    tags: ["tollgate"],
    schemaVersion: 39,
    editable: true,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    templating: {
      list: [{ name: "datasource", label: "Data source", type: "datasource", query: "prometheus" }],
    },
    panels: placed,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
