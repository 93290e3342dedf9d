"""Completes valid requests with what JSON Schema cannot express: values that depend on time or on earlier responses."""

import base64
import uuid

import schemathesis

FUTURE = "2126-11-14T09:00:00Z"


@schemathesis.hook
def before_call(context, case, kwargs):
    # A request that is meant to be refused stays as it is.
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if case.headers and "Idempotency-Key" in case.headers:
        # The same key with another request is refused.
        case.headers["Idempotency-Key"] = uuid.uuid4().hex
    if case.headers and "If-Match" in case.headers:
        case.headers["If-Match"] = "*"
    if case.query and "after" in case.query and not is_cursor(case, case.query["after"]):
        del case.query["after"]
    if case.query and "until" in case.query and operation_of(case) == "forecastEvents":
        # In the future.
        case.query["until"] = "2d"
    if isinstance(case.body, dict):
        complete(operation_of(case), case.body)


def operation_of(case):
    return case.operation.definition.raw["operationId"]


def is_cursor(case, text):
    """Whether it was returned by an earlier page of the same list."""
    operation = operation_of(case).encode()
    try:
        return base64.urlsafe_b64decode(str(text) + "===").startswith(operation + b" ")
    except ValueError:
        return False


def complete(operation, body):
    if "expiresAt" in body and body["expiresAt"] is not None:
        body["expiresAt"] = FUTURE
    if operation == "previewSubscription" and "until" in body:
        body["until"] = FUTURE
    if operation == "replaySubscription" and "since" in body:
        # A period that begins in the past and does not end before it begins.
        body["since"] = "2d"
        body.pop("until", None)
    if operation == "testSubscription":
        # Only a type that the subscription matches.
        body.pop("type", None)
    if operation == "putSubscription":
        # Only the name in the path.
        body.pop("name", None)
