"""The history of a feature store's runs, over gRPC. Needs the extra ``grpc``: ``pip install 'waybill-sdk[grpc]'``.

    from waybill.featurestore import Client
    client = Client("localhost:6565")
    for record in client.list_batch_job_records("sample", "driver_quality"):
        print(record.job_start_time, record.status.name)
"""
try:
    import google.protobuf  # noqa: F401
    import grpc  # noqa: F401
except ImportError as missing:
    raise ImportError("waybill.featurestore needs grpcio and protobuf: pip install 'waybill-sdk[grpc]'") from missing

from .._models import Attribute
from ._client import Client
from ._models import BatchJobRecord, JobStatus, JobType, Records

__all__ = ["Attribute", "BatchJobRecord", "Client", "JobStatus", "JobType", "Records"]
