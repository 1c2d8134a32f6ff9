import { Trans } from "@lingui/react/macro";
import { Alert } from "../../ui/alert.tsx";

export const OnlyRoot = () => (
  <Alert tone="warn" title={<Trans>No settings to show: insufficient permissions</Trans>}>
    <Trans>Only super administrators can change them.</Trans>
  </Alert>
);
