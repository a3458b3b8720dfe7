"""Protobuf message classes built from tables of fields: no generated code, no protoc; names apart from every other
pool.
"""
