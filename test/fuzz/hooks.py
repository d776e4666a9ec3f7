"""An own check for `npm run test:fuzz`: a server error must be the fault of the page, or an overload."""

from __future__ import annotations

import schemathesis

OF_PAGES = {"NavigationError", "TimeoutError", "PageCrashedError", "CustomScriptError", "TemplateError", "OverloadedError"}


@schemathesis.check
def fault_of_the_page(ctx, response, case):
    if response.status_code < 500:
        return
    body = response.json()
    # a readiness probe of a service that is starting has no error
    if "error_type" in body:
        assert body["error_type"] in OF_PAGES, f"{response.status_code} {body['error_type']}: {body.get('message')}"
