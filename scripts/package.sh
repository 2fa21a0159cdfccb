# ./x package: the stripped program with the small one beside it, its service unit, the docs and the examples as one
# tarball, and the Python client as a wheel.
. scripts/build.sh
. scripts/sdk.sh
name=waybill-$(version)-linux-$(uname -m)
out=build/package/$name
rm -rf "$out"
for program in waybill waybill-supervise; do
  install -D -m 755 "build/release/$program" "$out/bin/$program"
  llvm-strip-19 "$out/bin/$program"
done
install -D -m 644 deploy/waybill.service "$out/lib/systemd/system/waybill.service"
install -D -m 644 -t "$out/share/man/man1" docs/man/*.1
install -D -m 644 README.md CHANGELOG.md -t "$out/share/doc/waybill"
cp -r docs examples "$out/share/doc/waybill/"
tar -C build/package --owner=0 --group=0 --sort=name -czf "$out.tar.gz" "$name"
(cd build/package && sha256sum "$name.tar.gz" | tee "$name.tar.gz.sha256")
build_sdk build/package
ls build/package/*.whl
