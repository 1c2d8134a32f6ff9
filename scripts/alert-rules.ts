// The alert rules of deploy/prometheus, each with series on which it must fire and end.
// monitoring.test.ts writes them as YAML.

export interface AlertRule {
  name: string;
  severity: "warning" | "critical";
  expression: string;
  /** `forMinutes` says how long it must hold. */
  forMinutes: number;
  /** `summary` is what happens; may name labels as `{{ $labels.channel }}`. */
  summary: string;
  /** `action` is what to do. */
  action: string;
  example: AlertExample;
}

/** Values are one a minute in promtool's notation: "0x10 1x200" is eleven times 0, then 1. */
interface AlertExample {
  series: Readonly<Record<string, string>>;
  firesAtMinute: number;
  endsByMinute: number;
  /** The labels of the alert, besides its severity. */
  labels?: Readonly<Record<string, string>>;
  /** Series on which it must not fire within an hour. */
  quiet?: Readonly<Record<string, string>>;
}

const node = 'instance="a:9464",job="tollgate"';

export const alertRules: readonly AlertRule[] = [
  {
    name: "TollgateDown",
    severity: "critical",
    expression: 'up{job="tollgate"} == 0',
    forMinutes: 2,
    summary: "The gateway {{ $labels.instance }} cannot be scraped.",
    action:
      "Look whether the process runs, and at its last lines of output. METRICS_HOST and METRICS_PORT say where it listens.",
    example: {
      series: { [`up{${node}}`]: "0x10 1x20" },
      firesAtMinute: 5,
      endsByMinute: 20,
      labels: { instance: "a:9464", job: "tollgate" },
    },
  },
  {
    name: "TollgateModelWithoutChannel",
    severity: "warning",
    expression: 'sum(increase(tollgate_refused_total{reason="no_channel"}[5m])) > 5',
    forMinutes: 5,
    summary: "Calls are refused because no channel is available for their model.",
    action:
      "The list of logs, filtered by refused calls, names the models; the trace of one says why each channel was left out.",
    example: {
      series: {
        [`tollgate_refused_total{${node},entry="chat_completions",reason="no_channel"}`]:
          "0+4x20 80x30",
      },
      firesAtMinute: 15,
      endsByMinute: 40,
    },
  },
  {
    name: "TollgateCallsFail",
    severity: "critical",
    expression:
      'sum(rate(tollgate_calls_total{outcome=~"failed|cut"}[10m])) / sum(rate(tollgate_calls_total[10m])) > 0.1 and sum(increase(tollgate_calls_total[10m])) > 20',
    forMinutes: 5,
    summary: "More than a tenth of the calls fail or are cut.",
    action:
      "Compare the channels by tollgate_attempts_total; disable those that fail, or give their models another channel.",
    example: {
      series: {
        [`tollgate_calls_total{${node},outcome="success"}`]: "0+8x60",
        [`tollgate_calls_total{${node},outcome="failed"}`]: "0+2x20 40x40",
      },
      firesAtMinute: 18,
      endsByMinute: 50,
    },
  },
  {
    name: "TollgateChannelFails",
    severity: "warning",
    expression:
      '(sum by (channel) (rate(tollgate_attempts_total{result=~"5xx|connect|timeout|cut"}[10m])) / sum by (channel) (rate(tollgate_attempts_total[10m])) > 0.5 and sum by (channel) (increase(tollgate_attempts_total[10m])) > 10) * on (channel) group_left (name) max by (channel, name) (tollgate_channel_info)',
    forMinutes: 5,
    summary:
      "More than half of the attempts at channel {{ $labels.channel }} ({{ $labels.name }}) fail.",
    action:
      "Test the channel in the console, and look at the provider's status page. Other channels of its models take over.",
    example: {
      series: {
        [`tollgate_attempts_total{${node},channel="7",result="5xx"}`]: "0+9x20 180x40",
        [`tollgate_attempts_total{${node},channel="7",result="ok"}`]: "0+1x60",
        [`tollgate_channel_info{${node},channel="7",name="main",type="1"}`]: "1x60",
      },
      firesAtMinute: 18,
      endsByMinute: 50,
      labels: { channel: "7", name: "main" },
    },
  },
  {
    name: "TollgateChannelDisabled",
    severity: "warning",
    expression:
      "max by (channel) (tollgate_channel_status) == 3 and on (channel) max by (channel) (tollgate_channel_info)",
    forMinutes: 1,
    summary: "Channel {{ $labels.channel }} was disabled automatically.",
    action:
      "The channel page says why: a rejected key or an empty account, mostly. Mend it there and enable the channel.",
    example: {
      series: {
        [`tollgate_channel_status{${node},channel="7"}`]: "3x10 1x20",
        [`tollgate_channel_info{${node},channel="7",name="main",type="1"}`]: "1x30",
      },
      firesAtMinute: 5,
      endsByMinute: 20,
      labels: { channel: "7" },
    },
  },
  {
    name: "TollgateNothingSettles",
    severity: "critical",
    expression:
      "sum(tollgate_calls_in_flight) > 0 and sum(increase(tollgate_calls_total[10m])) == 0",
    forMinutes: 10,
    summary: "Calls run, and none has been settled for ten minutes.",
    action:
      "Look at tollgate_db_errors_total and at the output of the gateway: storage may be full or away. What is held stays held until then.",
    example: {
      series: {
        [`tollgate_calls_in_flight{${node},entry="chat_completions"}`]: "3x60",
        [`tollgate_calls_total{${node},outcome="success"}`]: "9x30 9+1x30",
      },
      firesAtMinute: 25,
      endsByMinute: 45,
    },
  },
  {
    name: "TollgateSettlesRetried",
    severity: "critical",
    expression: "sum(increase(tollgate_settle_retries_total[5m])) > 0",
    forMinutes: 2,
    summary: "The database does not take settlements at the first try.",
    action:
      "Look at the output of the gateway for the error, and at load, locks and free space of the database.",
    example: {
      series: { [`tollgate_settle_retries_total{${node}}`]: "0x5 0+3x10 30x20" },
      firesAtMinute: 12,
      endsByMinute: 30,
    },
  },
  {
    name: "TollgateSweeperFindsHolds",
    severity: "warning",
    expression: "sum(increase(tollgate_swept_total[15m])) > 0",
    forMinutes: 0,
    summary: "The sweeper ended holds that no process owned.",
    action:
      "A gateway process was killed or lost its database. The calls are logged as interrupted, and charged for what was delivered.",
    example: {
      series: { [`tollgate_swept_total{${node},end="released"}`]: "0x5 4x60" },
      firesAtMinute: 10,
      endsByMinute: 40,
    },
  },
  {
    name: "TollgateShortfall",
    severity: "warning",
    expression: "max(increase(tollgate_shortfall_dollars_total[1h])) > 0",
    forMinutes: 0,
    summary: "Calls cost more than wallets could pay, at the operator's expense.",
    action:
      "The channel page shows shortfalls by channel. A channel whose answers outgrow their holds needs a limit of output or another price.",
    example: {
      series: { [`tollgate_shortfall_dollars_total{${node}}`]: "0x5 0.5x200" },
      firesAtMinute: 30,
      endsByMinute: 120,
    },
  },
  {
    name: "TollgateBudgetNearlyUsed",
    severity: "warning",
    expression: "max by (budget) (tollgate_budget_used_ratio) > 0.9",
    forMinutes: 1,
    summary: "Budget {{ $labels.budget }} of the site or a model is used to more than nine tenths.",
    action:
      "A hard budget refuses calls when it is used up. Raise its amount in the console, or wait for its next window.",
    example: {
      series: { [`tollgate_budget_used_ratio{${node},budget="3"}`]: "0.95x10 0.1x20" },
      firesAtMinute: 5,
      endsByMinute: 20,
      labels: { budget: "3" },
    },
  },
  {
    name: "TollgateRollupQueueGrows",
    severity: "warning",
    expression: "max(tollgate_rollup_queue_rows) > 10000",
    forMinutes: 10,
    summary: "The dashboard lags behind: settled calls wait to be added up.",
    action:
      "Look at the load of PostgreSQL. Charges and balances are right; only sums of the dashboard are late.",
    example: {
      series: { [`tollgate_rollup_queue_rows{${node}}`]: "20000x20 0x20" },
      firesAtMinute: 15,
      endsByMinute: 30,
    },
  },
  {
    name: "TollgateNoticesWait",
    severity: "warning",
    expression: "sum(max by (kind) (tollgate_notices_waiting)) > 20",
    forMinutes: 15,
    summary: "Notices of alerts wait for their destinations.",
    action:
      "The page of deliveries in the console has what each receiver answered. This rule may be all that tells you.",
    example: {
      series: { [`tollgate_notices_waiting{${node},kind="webhook"}`]: "30x30 0x20" },
      firesAtMinute: 20,
      endsByMinute: 40,
      // A digest's worth is always on its way, and a burst is over within a quarter of an hour.
      quiet: { [`tollgate_notices_waiting{${node},kind="webhook"}`]: "20x30 90x13 0x20" },
    },
  },
  {
    name: "TollgateDiskFull",
    severity: "critical",
    expression: "min by (instance) (tollgate_disk_free_bytes) < 2e9",
    forMinutes: 5,
    summary: "Less than 2 GB are free where {{ $labels.instance }} keeps its data.",
    action:
      "Without space no call can be held and all are refused. Shorten the retention of logs in the settings, or add space.",
    example: {
      series: { [`tollgate_disk_free_bytes{${node}}`]: "1000000000x10 9000000000x20" },
      firesAtMinute: 8,
      endsByMinute: 20,
      labels: { instance: "a:9464" },
    },
  },
  {
    name: "TollgateDatabaseUnavailable",
    severity: "critical",
    expression: 'sum(increase(tollgate_db_errors_total{kind="unavailable"}[5m])) > 0',
    forMinutes: 2,
    summary: "The database did not run statements of the gateway.",
    action:
      "Calls are refused with 503 meanwhile. Look at the database, its connections and the output of the gateway.",
    example: {
      series: { [`tollgate_db_errors_total{${node},kind="unavailable"}`]: "0x5 0+3x10 30x20" },
      firesAtMinute: 12,
      endsByMinute: 30,
    },
  },
  {
    name: "TollgateRedisDown",
    severity: "warning",
    expression: "tollgate_redis_up == 0",
    forMinutes: 5,
    summary: "{{ $labels.instance }} counts limits alone: Redis does not answer.",
    action:
      "Limits hold for each node until Redis is back. Look at Redis; the gateway reconnects by itself.",
    example: {
      series: { [`tollgate_redis_up{${node}}`]: "0x10 1x20" },
      firesAtMinute: 8,
      endsByMinute: 20,
      labels: { instance: "a:9464", job: "tollgate" },
    },
  },
  {
    name: "TollgateEventLoopSlow",
    severity: "warning",
    expression: 'max by (instance) (tollgate_event_loop_delay_seconds{quantile="0.99"}) > 0.5',
    forMinutes: 5,
    summary: "{{ $labels.instance }} has more to do than one core can.",
    action:
      "Add processes (serve --processes, on PostgreSQL) or nodes. At twice this delay new calls are refused.",
    example: {
      series: { [`tollgate_event_loop_delay_seconds{${node},quantile="0.99"}`]: "0.8x10 0.01x20" },
      firesAtMinute: 8,
      endsByMinute: 20,
      labels: { instance: "a:9464" },
    },
  },
  {
    name: "TollgateSeriesDropped",
    severity: "warning",
    expression: "sum(increase(tollgate_metric_series_dropped_total[10m])) > 0",
    forMinutes: 5,
    summary:
      "Metrics have more label values than METRICS_SERIES_MAX allows; the rest is counted as other.",
    action: "Raise METRICS_SERIES_MAX, or leave token out of METRICS_LABELS.",
    example: {
      series: { [`tollgate_metric_series_dropped_total{${node}}`]: "0x5 0+3x15 45x30" },
      firesAtMinute: 15,
      endsByMinute: 45,
    },
  },
  {
    name: "TollgateSiteGaugesOld",
    severity: "warning",
    expression: "max by (instance) (tollgate_site_gauges_age_seconds) > 120",
    forMinutes: 5,
    summary: "{{ $labels.instance }} cannot read its database for metrics.",
    action:
      "Open holds, balances and queues are as old as this. Look at the database and at the output of the gateway.",
    example: {
      series: { [`tollgate_site_gauges_age_seconds{${node}}`]: "600x10 5x20" },
      firesAtMinute: 8,
      endsByMinute: 20,
      labels: { instance: "a:9464" },
    },
  },
];

/** Every text in double quotes, as in JSON, which YAML reads alike. */
const quoted = (text: string): string => JSON.stringify(text);

export const alertRulesYaml = (): string =>
  [
    "# Alert rules for the metrics of Tollgate (docs/metrics.md). Written from scripts/alert-rules.ts by scripts/monitoring.test.ts.",
    "# They expect a job named tollgate. Check and try them: promtool check rules alerts.yml, promtool test rules alerts-test.yml",
    "groups:",
    "  - name: tollgate",
    "    rules:",
    ...alertRules.flatMap(({ name, severity, expression, forMinutes, summary, action }) => [
      `      - alert: ${name}`,
      `        expr: ${quoted(expression)}`,
      `        for: ${forMinutes}m`,
      "        labels:",
      `          severity: ${severity}`,
      "        annotations:",
      `          summary: ${quoted(summary)}`,
      `          description: ${quoted(action)}`,
    ]),
    "",
  ].join("\n");

const seriesYaml = (series: Readonly<Record<string, string>>): string[] => [
  "  - interval: 1m",
  "    input_series:",
  ...Object.entries(series).flatMap(([one, values]) => [
    `      - series: ${quoted(one)}`,
    `        values: ${quoted(values)}`,
  ]),
  "    alert_rule_test:",
];

const noAlert = (name: string, minute: number): string[] => [
  `      - alertname: ${name}`,
  `        eval_time: ${minute}m`,
  "        exp_alerts: []",
];

/** Before, amid and after the bursts of the examples. */
const quietMinutes = [15, 30, 35, 40, 44, 50, 60];

/**
 * `alertTestsYaml` is for promtool: each rule fires on its example and ends, and stays quiet where
 * it must.
 */
export const alertTestsYaml = (): string =>
  [
    "# Shows that each rule fires and ends, and where one stays quiet: promtool test rules alerts-test.yml. Written from scripts/alert-rules.ts.",
    "rule_files: [alerts.yml]",
    "evaluation_interval: 1m",
    "tests:",
    ...alertRules.flatMap(({ name, severity, summary, action, example }) => {
      const { series, firesAtMinute, endsByMinute, labels = {}, quiet } = example;
      const shown = summary.replace(
        /\{\{ \$labels\.(\w+) \}\}/g,
        (_, label: string) => labels[label] ?? "",
      );
      return [
        ...seriesYaml(series),
        `      - alertname: ${name}`,
        `        eval_time: ${firesAtMinute}m`,
        "        exp_alerts:",
        `          - exp_labels: ${JSON.stringify({ severity, ...labels })}`,
        `            exp_annotations: ${JSON.stringify({ summary: shown, description: action })}`,
        ...noAlert(name, endsByMinute),
        ...(quiet === undefined
          ? []
          : [...seriesYaml(quiet), ...quietMinutes.flatMap((minute) => noAlert(name, minute))]),
      ];
    }),
    "",
  ].join("\n");
