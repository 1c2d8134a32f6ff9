import { msg } from "@lingui/core/macro";
import { operationSections } from "../../components/settings/operation-sections.ts";
import { ClearLogsCard } from "./clear-logs-card.tsx";
import { OptionTab, type OptionTabPart } from "./option-tab.tsx";

const parts: readonly OptionTabPart[] = [
  { id: "clear-logs", title: msg`Clear logs`, part: <ClearLogsCard /> },
];

export const OperationTab = () => <OptionTab sections={operationSections} parts={parts} />;
