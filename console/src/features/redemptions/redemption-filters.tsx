import { StatusFilter } from "../../components/lists/status-filter.tsx";
import { redemptionStatuses } from "./redemption-columns.tsx";

export const RedemptionFilters = () => <StatusFilter statuses={redemptionStatuses} />;
