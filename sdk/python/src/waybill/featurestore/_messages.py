"""Protobuf messages in a pool of their own: the public clients of the same API register the same names in the default
pool, and both must work in one process, with any version of protobuf."""
from __future__ import annotations

import base64
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from ._descriptors import FILES

_pool = descriptor_pool.DescriptorPool()
for _file in descriptor_pb2.FileDescriptorSet.FromString(base64.b64decode(FILES)).file:
    _pool.AddSerializedFile(_file.SerializeToString())


def _class(name: str) -> Any:
    descriptor = _pool.FindMessageTypeByName(name)
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    factory: Any = message_factory.MessageFactory(_pool)  # before protobuf 4.22
    return factory.GetPrototype(descriptor)


ListBatchJobRecordsRequest = _class("feast_spark.api.ListBatchJobRecordsRequest")
ListBatchJobRecordsResponse = _class("feast_spark.api.ListBatchJobRecordsResponse")
