import { Trans } from "@lingui/react/macro";
import { Alert } from "../../ui/alert.tsx";

export const OnlyRoot = () => (
  <Alert tone="warn" title={<Trans>No settings to show: insufficient permissions</Trans>}>
    <Trans>They belong to super administrators.</Trans>
  </Alert>
);
