"""Configs for Spark on Kubernetes, held against what the executors declare."""
import pathlib
import subprocess

import pytest
import yaml
from waybill_testing import BINARY

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/spark/waybill.yaml"
HEIMDALL = """
commands:
  - name: sparksql-eks
    status: active
    plugin: sparkeks
    version: 3.5.3
    description: Run a SparkSQL query
    context:
      jobs_uri: s3://bucket/spark/jobs
      event_log_uri: s3://bucket/spark/logs
      wrapper_uri: s3://bucket/contrib/spark-sql-s3-wrapper.py
      properties: {spark.executor.instances: "1", spark.driver.memory: 2g}
      kube_namespace: default
    tags: ["type:sparksql-eks"]
    cluster_tags: ["type:eks"]
clusters:
  - name: eks
    status: active
    version: 1.33.0
    context:
      role_arn: arn:aws:iam::123456789012:role/EKSAccessRole
      region: us-west-2
      cluster_name: my-eks-cluster
      image: myrepo/spark:latest
      spark_application_file: /etc/heimdall/spark-application.yaml
      required_spark_sql_extensions: org.example.Extension
      properties: {spark.hadoop.fs.s3a.impl: org.apache.hadoop.fs.s3a.S3AFileSystem}
    tags: ["type:eks"]
"""


def check(tmp_path, text):
    file = tmp_path / "waybill.yaml"
    file.write_text(text)
    done = subprocess.run([BINARY, "config", "check", file], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def test_the_example_and_a_config_of_heimdall_load_as_they_are(tmp_path):
    for text in (EXAMPLE.read_text(), HEIMDALL):
        code, said = check(tmp_path, text)
        assert code == 0 and "plugin" not in said, said


@pytest.mark.parametrize("where, key, value, says", [
    ("clusters", "kubernetes", {"kubeconfg": "x"}, "\"kubeconfg\" is no member of it"),
    ("clusters", "kubernetes", {"in_cluster": "yes"}, "in_cluster: it must be true or false"),
    ("commands", "arguments", "1000", "a list of texts"),
    ("commands", "application_template", ["x"], "a text"),
    ("commands", "pending_error_seconds", "soon", "a whole number")])
def test_a_wrong_key_is_named_with_its_place(tmp_path, where, key, value, says):
    config = yaml.safe_load(EXAMPLE.read_text())
    config[where][0]["context"][key] = value
    code, said = check(tmp_path, yaml.safe_dump(config, sort_keys=False))
    assert code == 2 and key in said and says in said, said
