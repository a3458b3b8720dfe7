"""Protobuf message classes built from tables of fields, without generated code or protoc, in a pool of their own."""
